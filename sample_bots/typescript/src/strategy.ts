// What to answer. Pure: an ask and the hand that it is for go in, a decision
// comes out. No memory, no clock, no chance: the same ask gets the same answer.
import type { ActAsk__Output } from "./_gen/tichu/referee/v1/ActAsk.js";
import type { Answer } from "./_gen/tichu/referee/v1/Answer.js";
import type { Ask__Output } from "./_gen/tichu/referee/v1/Ask.js";
import type { CallAsk__Output } from "./_gen/tichu/referee/v1/CallAsk.js";
import { CallKind } from "./_gen/tichu/referee/v1/CallKind.js";
import type { Card__Output as Card } from "./_gen/tichu/referee/v1/Card.js";
import type { ChooseSeatAsk__Output } from "./_gen/tichu/referee/v1/ChooseSeatAsk.js";
import type { ExchangeAsk__Output } from "./_gen/tichu/referee/v1/ExchangeAsk.js";
import { PlayKind } from "./_gen/tichu/referee/v1/PlayKind.js";

/** The decision part of an Answer; match and ask number are added by the session. */
export type Decision = Omit<Answer, "match" | "askId">;

/** The substitute action, which the referee takes without a strike. */
export const DEFAULT: Decision = { defaultAction: {} };

// Card numbers are 4 * rank + suit; a second pack has the same numbers plus 64.
const PACK = 64;
const FIRST_RANKED_CARD = 8;
const MAH_JONG = 4;
const LOWEST_RANK = 2;
const ACE = 14;

/** Answers any ask; one of a kind that this bot does not know gets the substitute action. */
export function decide(ask: Ask__Output, hand: readonly Card[]): Decision {
  if (ask.call) return decideCall(ask.call);
  if (ask.exchange) return decideExchange(ask.exchange, hand);
  if (ask.act) return decideAct(ask.act, hand);
  if (ask.bomb) return { bomb: { decline: {} } };
  if (ask.chooseSeat) return decideSeat(ask.chooseSeat);
  return DEFAULT;
}

/** Bets nothing; a bid or an opponent's call gets the substitute action: bid 0, accept. */
function decideCall(ask: CallAsk__Output): Decision {
  const no = ask.choices.find(
    (choice) =>
      choice === CallKind.CALL_KIND_NO_GRAND || choice === CallKind.CALL_KIND_NO_GREAT_GRAND,
  );
  return no === undefined ? DEFAULT : { call: { choice: no } };
}

/** Gives the lowest cards away and keeps Dog, Mah Jong, Phoenix and Dragon. */
function decideExchange(ask: ExchangeAsk__Output, hand: readonly Card[]): Decision {
  const owed = ask.slots.reduce((sum, slot) => sum + slot.count, 0);
  // Which cards are forced is the referee's to say: the substitute action knows.
  const forced = ask.slots.some((slot) => slot.forcedBest || slot.forcedWorst);
  if (forced || owed > hand.length) return DEFAULT;
  const worstFirst = [...hand].sort((a, b) => worth(a) - worth(b));
  const gifts = ask.slots.map((slot) => ({
    ...(slot.toSeat === undefined ? {} : { seat: slot.toSeat }),
    cards: worstFirst.splice(0, slot.count),
  }));
  return { exchange: { gifts } };
}

/** Orders cards for the exchange: ranked cards from low to high, then the special cards. */
function worth(card: Card): number {
  const inPack = card % PACK;
  return inPack < FIRST_RANKED_CARD ? PACK + inPack : inPack;
}

/** Plays the first listed play that is no bomb, else passes; a bomb only if it must. */
function decideAct(ask: ActAsk__Output, hand: readonly Card[]): Decision {
  let index = ask.plays.findIndex((play) => play.kind !== PlayKind.PLAY_KIND_BOMB);
  if (index < 0 && ask.mayPass) return { act: { pass: {} } };
  if (index < 0) index = 0;
  const play = ask.plays[index];
  if (play === undefined) return DEFAULT;
  const wishes = play.cards.some((card) => card % PACK === MAH_JONG);
  return { act: wishes ? { index, wish: rankToWishFor(hand) } : { index } };
}

/** The highest rank of which the hand has no card: somebody else must play it. */
function rankToWishFor(hand: readonly Card[]): number {
  const held = new Set(hand.map((card) => Math.floor((card % PACK) / 4)));
  for (let rank = ACE; rank > LOWEST_RANK; rank--) if (!held.has(rank)) return rank;
  return LOWEST_RANK;
}

function decideSeat(ask: ChooseSeatAsk__Output): Decision {
  const seat = ask.seats[0];
  return seat === undefined ? DEFAULT : { chooseSeat: { seat } };
}
