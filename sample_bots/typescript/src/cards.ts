// Cards: numbers and names, ranks, points, the bombs of a hand, the shuffle. A
// card is the number that it has on the wire: 4 * rank + suit for ranks 2 to 14,
// below them the four special cards; a second pack has the same numbers plus 64.
import { createHash } from "node:crypto";

export const DOG = 1;
export const PHOENIX = 2;
export const DRAGON = 3;
export const MAH_JONG = 4;
export const SECOND_PACK = 64;
export const LOWEST_RANK = 2;
export const ACE = 14;

const RANKS = "23456789TJQKA";
const SUITS = "jspr"; // jade, sword, pagoda, star
const NAMES = new Map<number, string>([
  [DOG, "Dg"],
  [PHOENIX, "Ph"],
  [DRAGON, "Dr"],
  [MAH_JONG, "Mj"],
]);
for (let rank = LOWEST_RANK; rank <= ACE; rank++)
  for (let suit = 0; suit < 4; suit++)
    NAMES.set(4 * rank + suit, `${RANKS[rank - LOWEST_RANK]}${SUITS[suit]}`);
for (const [card, name] of [...NAMES]) NAMES.set(card + SECOND_PACK, `${name}'`);
const NUMBERS = new Map([...NAMES].map(([card, name]) => [name, card]));

/** True for a number that a card has; a later protocol may know others. */
export function isCard(card: number): boolean {
  return NAMES.has(card);
}

/** The cards named in the text, in its order; throws where a word is no card. */
export function parse(text: string): number[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word) => {
      const card = NUMBERS.get(word);
      if (card === undefined) throw new Error(`no card is called ${word}`);
      return card;
    });
}

/** The cards as text, in ascending order of their numbers. */
export function show(cards: readonly number[]): string {
  return ascending(cards)
    .map((card) => NAMES.get(card) ?? `?${card}`)
    .join(" ");
}

/** The cards in ascending order of their numbers. */
export function ascending(cards: readonly number[]): number[] {
  return [...cards].sort((a, b) => a - b);
}

/** 2 to 14, 1 for the Mah Jong, 0 for Dog, Phoenix and Dragon. */
export function rank(card: number): number {
  return Math.floor((card % SECOND_PACK) / 4);
}

/** What the cards count: 5, 10, king, Dragon and Phoenix; others 0. */
export function points(cards: readonly number[]): number {
  return cards.reduce((sum, card) => sum + pointsOf(card), 0);
}

function pointsOf(card: number): number {
  if (card % SECOND_PACK === DRAGON) return 25;
  if (card % SECOND_PACK === PHOENIX) return -25;
  return { 5: 5, 10: 10, 13: 10 }[rank(card)] ?? 0;
}

/** True where the hand holds four of a rank, or five consecutive ranks of a suit. */
export function holdsBomb(hand: readonly number[]): boolean {
  const held = new Set(hand.map((card) => card % SECOND_PACK));
  const all = (first: number, step: number, count: number) =>
    Array.from({ length: count }, (_, i) => first + i * step).every((card) => held.has(card));
  for (const card of held) {
    if (rank(card) < LOWEST_RANK) continue;
    if ((card % 4 === 0 && all(card, 1, 4)) || all(card, 4, 5)) return true;
  }
  return false;
}

/** The cards, which come ascending, in the order that the seed gives: the first is dealt first. */
export function shuffle(seed: Uint8Array, cards: readonly number[]): number[] {
  const order = [...cards];
  const words = wordsOf(seed);
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1, words);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

/** A number from 0 to n - 1, each as likely: words that would favour some are left out. */
function below(n: number, words: Iterator<number, never>): number {
  const limit = n * Math.floor(2 ** 32 / n);
  let word = words.next().value;
  while (word >= limit) word = words.next().value;
  return word % n;
}

/** Eight 32-bit words from each block SHA-256(seed, number of the block in 8 bytes). */
function* wordsOf(seed: Uint8Array): Generator<number, never> {
  for (let block = 0n; ; block++) {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(block);
    const digest = createHash("sha256").update(seed).update(number).digest();
    for (let at = 0; at < digest.length; at += 4) yield digest.readUInt32BE(at);
  }
}

/** What every seat gets before the deal, so that it is known to be fixed: 32 bytes. */
export function commitment(matchId: string, seed: Uint8Array): Uint8Array {
  return createHash("sha256").update("tichu-commit").update(matchId).update(seed).digest();
}
