// What to answer. Pure: a view goes in, an answer comes out; no gRPC, no memory,
// clock or chance. The rules in plain words stand in ../../README.md; the other
// languages have the same ones in the same order, and all give the same answer
// to the same view. Cards are numbers, as in cards.ts.
import { ACE, DOG, DRAGON, LOWEST_RANK, MAH_JONG, PHOENIX, SECOND_PACK, rank } from "./cards.js";

const STRONG_BET = 12; // from which on a Grand is called on the first cards
const STRONG_TICHU = 11; // and a Tichu with a whole hand
const RICH_TRICK = 20; // points that are worth a bomb
const POOR_TRICK = 10; // fewer are not worth a dear card
const DEAR = 28; // half ranks: an ace, and all that is higher
const LOW_TABLE = 16; // half ranks: on more a partner's play stays
const CHEAP = 22; // half ranks: the most that goes on a partner's play

/** A play as an ask lists it. */
export interface Play {
  readonly cards: readonly number[];
  /** single pair triple full_house straight stairs bomb */
  readonly kind: string;
  /** Height in half ranks. */
  readonly rankHalves: number;
}

/** What one recipient is owed in the exchange. */
export interface Slot {
  readonly toSeat: number;
  readonly count: number;
  /** Best or worst cards, which the referee's substitute action knows. */
  readonly forced: boolean;
}

/** What the hand that decides knows. What an ask does not say is empty. */
export interface View {
  /** act bomb call exchange choose_seat, else unknown */
  readonly ask: string;
  readonly seat: number;
  /** In turn order after the seat, out or not. */
  readonly partners: readonly number[];
  readonly opponents: readonly number[];
  /** Ascending. */
  readonly hand: readonly number[];
  /** Cards of each hand, by seat. */
  readonly counts: readonly number[];
  readonly plays: readonly Play[];
  readonly mayPass: boolean;
  /** Also while the trick that was won may still be bombed. */
  readonly leading: boolean;
  readonly mayCallTichu: boolean;
  readonly table: Play | undefined;
  /** Of the play on the table. */
  readonly owner: number | undefined;
  readonly trickPoints: number;
  /** Bets by seat. */
  readonly calls: ReadonlyMap<number, string>;
  /** This hand has bet. */
  readonly called: boolean;
  readonly choices: readonly string[];
  readonly slots: readonly Slot[];
  readonly seats: readonly number[];
  /** dragon or dog */
  readonly why: string;
}

/** The decision. */
export type Answer =
  | { readonly index: number; readonly wish?: number; readonly tichu?: true }
  | { readonly pass: true }
  | { readonly decline: true }
  | { readonly choice: string }
  | { readonly gifts: readonly (readonly number[])[] } // cards for each slot, in their order
  | { readonly seat: number }
  | { readonly default: true };

const PASS: Answer = { pass: true };
const DECLINE: Answer = { decline: true };
/** The substitute action, which the referee takes without a strike. */
export const DEFAULT: Answer = { default: true };

/** Answers any view; one of a kind that is not known gets the substitute action. */
export function decide(view: View): Answer {
  switch (view.ask) {
    case "call":
      return decideCall(view);
    case "exchange":
      return decideExchange(view);
    case "choose_seat":
      return decideSeat(view);
    case "bomb":
      return decideBomb(view);
    case "act":
      return decideAct(view);
    default:
      return DEFAULT;
  }
}

// Calls

/** Lets calls of others stand, and bets on a strong hand. */
function decideCall({ choices, hand }: View): Answer {
  if (choices.includes("accept")) return { choice: "accept" };
  const strong = highCards(hand) >= STRONG_BET;
  if (choices.includes("grand")) return { choice: strong ? "grand" : "no_grand" };
  if (choices.includes("bid_3")) return { choice: strong ? "bid_3" : "bid_0" };
  if (choices.includes("great_grand")) return { choice: "no_great_grand" };
  return DEFAULT;
}

/** 4 for each Dragon and Phoenix and 2 for each ace. */
function highCards(hand: readonly number[]): number {
  const great = hand.filter((card) => [DRAGON, PHOENIX].includes(card % SECOND_PACK)).length;
  const aces = hand.filter((card) => rank(card) === ACE).length;
  return 4 * great + 2 * aces;
}

// Exchange

/** Gives partners the best ranked cards, everybody else the lowest. */
function decideExchange({ slots, hand, partners }: View): Answer {
  const owed = slots.reduce((sum, slot) => sum + slot.count, 0);
  if (slots.some((slot) => slot.forced) || owed > hand.length) return DEFAULT;
  const rest = [...hand].sort((a, b) => worth(a) - worth(b) || a - b);
  const gifts = slots.map(({ toSeat, count }) => {
    const best = partners.includes(toSeat);
    return Array.from({ length: count }, () => take(rest, best)).sort((a, b) => a - b);
  });
  return { gifts };
}

/** Takes the best card that is no special one, or the lowest card, out of a sorted hand. */
function take(rest: number[], best: boolean): number {
  const place = best ? rest.findLastIndex((card) => worth(card) <= ACE) : 0;
  return rest.splice(Math.max(place, 0), 1)[0] as number;
}

/** How good a card is: Dog, 2 to ace, Mah Jong, Phoenix, Dragon. */
function worth(card: number): number {
  const special = new Map([[DOG, 0], [MAH_JONG, 15], [PHOENIX, 16], [DRAGON, 17]]);
  return special.get(card % SECOND_PACK) ?? rank(card);
}

// Who gets the Dragon's trick, or the lead

/** Names the seat with the most cards, of equal ones the first. */
function decideSeat({ seats, counts }: View): Answer {
  const seat = cheapest(seats, (one) => -(counts[one] ?? 0));
  return seat === undefined ? DEFAULT : { seat };
}

// Bombs

/** Throws the first bomb out of turn where that is worth it. */
function decideBomb(view: View): Answer {
  const index = firstBomb(view);
  return index !== undefined && worthABomb(view, index) ? { index } : DECLINE;
}

/** The place of the first bomb listed. */
function firstBomb({ plays }: View): number | undefined {
  const place = plays.findIndex((play) => play.kind === "bomb");
  return place < 0 ? undefined : place;
}

/** True where the bomb empties the hand, or takes something from an opponent. */
function worthABomb(view: View, bomb: number): boolean {
  const { owner, opponents, counts, calls } = view;
  if (empties(view, playAt(view, bomb))) return true;
  if (owner === undefined || !opponents.includes(owner)) return false;
  const left = counts[owner] ?? 0;
  return view.trickPoints >= RICH_TRICK || left <= 2 || (calls.has(owner) && left <= 6);
}

/** True where no card is left after the play. */
function empties({ hand }: View, play: Play): boolean {
  return play.cards.length === hand.length;
}

// A turn

/** Plays or passes. */
function decideAct(view: View): Answer {
  if (view.plays.length === 0) return view.mayPass ? PASS : DEFAULT;
  const place = lastPlay(view) ?? (view.leading ? lead(view) : follow(view));
  return place === undefined ? PASS : withPlay(view, place);
}

/** The first play that empties the hand, a bomb only if nothing else does. */
function lastPlay(view: View): number | undefined {
  const last = placesOf(view).filter((place) => empties(view, playAt(view, place)));
  return cheapest(last, (place) => (playAt(view, place).kind === "bomb" ? 1 : 0));
}

/** The Dog, if a partner can use the lead, else the cheapest play. */
function lead(view: View): number | undefined {
  const { plays, partners, counts } = view;
  if (!view.called && partners.some((partner) => (counts[partner] ?? 0) > 0)) {
    const dog = plays.findIndex((play) => isAlone(play, DOG));
    if (dog >= 0) return dog;
  }
  const noBombs = withoutBombs(view);
  const places = noBombs.length > 0 ? noBombs : placesOf(view);
  return cheapest(places, (place) => costToLead(view, playAt(view, place)));
}

/** What it costs to lead the play: low and many cards cost least. */
function costToLead(view: View, play: Play): number {
  let cost = play.rankHalves - 6 * (play.cards.length - 1) + 5 * leftOf(view, play);
  if (play.cards.length > 1) return cost + (holds(play.cards, PHOENIX) ? 24 : 0);
  if (isAlone(play, PHOENIX, DRAGON, DOG)) cost += 40;
  // Whoever has one card waits for a low single.
  if (view.opponents.some((opponent) => view.counts[opponent] === 1))
    cost += 60 - 2 * play.rankHalves;
  return cost;
}

/** What goes on the table; undefined: pass. */
function follow(view: View): number | undefined {
  const bomb = firstBomb(view);
  const bombs = bomb !== undefined && worthABomb(view, bomb);
  const place = cheapest(withoutBombs(view), (one) => costToFollow(view, playAt(view, one)));
  if (place === undefined) return bombs || !view.mayPass ? bomb : undefined;
  const best = playAt(view, place);
  if (view.mayPass && (leavesToPartner(view, best) || saves(view, best))) return undefined;
  return view.mayPass && bombs && best.rankHalves < DEAR ? bomb : place;
}

/** What it costs to play on the table: low cards that leave nothing torn cost least. */
function costToFollow(view: View, play: Play): number {
  const joker = play.cards.length > 1 && holds(play.cards, PHOENIX);
  return play.rankHalves + 5 * leftOf(view, play) + (joker ? 20 : 0);
}

/** True where a partner's play stays: only a cheap one goes on a low one. */
function leavesToPartner(view: View, best: Play): boolean {
  const { owner, table, partners } = view;
  if (owner === undefined || table === undefined || !partners.includes(owner)) return false;
  const cheap = best.rankHalves <= CHEAP && !isAlone(best, PHOENIX, DRAGON);
  return table.rankHalves > LOW_TABLE || !cheap || isDanger(view);
}

/** True where the best play is too dear for this trick, and waits. */
function saves(view: View, best: Play): boolean {
  const dear = best.rankHalves >= DEAR || holds(best.cards, PHOENIX);
  const waits = view.trickPoints < POOR_TRICK && view.hand.length > 6;
  return dear && waits && !view.called && !isDanger(view);
}

/** True where some opponent has only one or two cards. */
function isDanger({ opponents, counts }: View): boolean {
  return opponents.some((opponent) => counts[opponent] === 1 || counts[opponent] === 2);
}

/** The answer that plays, with the wish and the Tichu that go with it. */
function withPlay(view: View, index: number): Answer {
  return {
    index,
    ...(holds(playAt(view, index).cards, MAH_JONG) ? { wish: rankToWishFor(view.hand) } : {}),
    ...(callsTichu(view) ? { tichu: true } : {}),
  };
}

/** The highest rank of which the hand has no card: somebody else must play it. */
function rankToWishFor(hand: readonly number[]): number {
  const held = new Set(hand.map(rank));
  for (let wish = ACE; wish >= LOWEST_RANK; wish--) if (!held.has(wish)) return wish;
  return LOWEST_RANK;
}

/** True where the hand is strong enough for a Tichu that nobody else of the team called. */
function callsTichu({ mayCallTichu, called, partners, calls, hand }: View): boolean {
  if (!mayCallTichu || called || partners.some((partner) => calls.has(partner))) return false;
  return strength(hand) >= STRONG_TICHU;
}

/** High cards and bombs, and the low cards that are alone of their rank against them. */
function strength(hand: readonly number[]): number {
  let sum = highCards(hand);
  for (let each = LOWEST_RANK; each <= ACE; each++) {
    const count = hand.filter((card) => rank(card) === each).length;
    if (count >= 4) sum += 4;
    if (count === 1 && each < 10) sum -= 1;
  }
  return sum;
}

// Plays

function placesOf({ plays }: View): number[] {
  return [...plays.keys()];
}

/** The play at a place of the list. */
function playAt({ plays }: View, place: number): Play {
  return plays[place] as Play;
}

/** The places of the plays that are no bombs. */
function withoutBombs(view: View): number[] {
  return placesOf(view).filter((place) => playAt(view, place).kind !== "bomb");
}

/** The one that costs least, of equal ones the first; undefined of none. */
function cheapest(ones: readonly number[], cost: (one: number) => number): number | undefined {
  let best = ones[0];
  for (const one of ones) if (best !== undefined && cost(one) < cost(best)) best = one;
  return best;
}

/** How many cards stay in the hand of the ranks that the play takes from. */
function leftOf({ hand }: View, play: Play): number {
  const ranks = new Set(play.cards.map(rank).filter((each) => each >= LOWEST_RANK));
  const count = (cards: readonly number[]) => cards.filter((card) => ranks.has(rank(card))).length;
  return count(hand) - count(play.cards);
}

/** True where the play is one of these special cards alone. */
function isAlone(play: Play, ...specials: number[]): boolean {
  return play.cards.length === 1 && specials.includes((play.cards[0] as number) % SECOND_PACK);
}

/** True where the special card of either pack is among the cards. */
function holds(cards: readonly number[], special: number): boolean {
  return cards.some((card) => card % SECOND_PACK === special);
}
