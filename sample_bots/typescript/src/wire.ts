// Messages into views, and answers into messages.
import type { Answer as AnswerMessage } from "./_gen/tichu/referee/v1/Answer.js";
import type { Ask__Output } from "./_gen/tichu/referee/v1/Ask.js";
import { CallKind } from "./_gen/tichu/referee/v1/CallKind.js";
import type { CallMade__Output } from "./_gen/tichu/referee/v1/CallMade.js";
import type { Card } from "./_gen/tichu/referee/v1/Card.js";
import { ChooseSeatReason } from "./_gen/tichu/referee/v1/ChooseSeatReason.js";
import type { Play__Output } from "./_gen/tichu/referee/v1/Play.js";
import { PlayKind } from "./_gen/tichu/referee/v1/PlayKind.js";
import type { Seating__Output } from "./_gen/tichu/referee/v1/Seating.js";
import type { Snapshot__Output } from "./_gen/tichu/referee/v1/Snapshot.js";
import { ascending, isCard, points } from "./cards.js";
import type { Answer, Play, View } from "./strategy.js";

/** The decision part of an Answer message; match and ask number are added by the session. */
export type Decision = Omit<AnswerMessage, "match" | "askId">;

export const DEFAULT_ACTION: Decision = { defaultAction: {} };

const UNKNOWN = "unknown"; // a kind of a later protocol
const ASKS = new Map([
  ["call", "call"],
  ["exchange", "exchange"],
  ["act", "act"],
  ["bomb", "bomb"],
  ["chooseSeat", "choose_seat"],
]);
// The bets, the higher one last: of a seat that made two the highest counts.
const BETS: readonly number[] = [
  CallKind.CALL_KIND_TICHU,
  CallKind.CALL_KIND_GRAND,
  CallKind.CALL_KIND_GREAT_GRAND,
];
const KINDS = named(PlayKind, "PLAY_KIND_");
const CALLS = named(CallKind, "CALL_KIND_");
const REASONS = named(ChooseSeatReason, "CHOOSE_SEAT_REASON_");

/** The names of an enum's numbers as the views have them; 0 says nothing. */
function named(numbers: Record<string, number>, prefix: string): ReadonlyMap<number, string> {
  const entries = Object.entries(numbers).filter(([, number]) => number !== 0);
  return new Map(entries.map(([name, n]) => [n, name.slice(prefix.length).toLowerCase()]));
}

/** What the hand that decides knows. Unknown cards are left out. */
export function viewOf(
  ask: Ask__Output,
  seating: Seating__Output | undefined,
  snapshot: Snapshot__Output | undefined,
): View {
  const { act, bomb, call, exchange, chooseSeat, forSeat: seat } = ask;
  const table = snapshot?.table ? playOf(snapshot.table) : undefined;
  const calls = betsOf(snapshot?.calls ?? []);
  return {
    ask: ASKS.get(ask.kind ?? "") ?? UNKNOWN,
    seat,
    ...sidesOf(seat, seating, snapshot),
    hand: handOf(seat, snapshot),
    counts: snapshot?.handCounts ?? [],
    plays: (act ?? bomb)?.plays.map(playOf) ?? [],
    mayPass: act?.mayPass ?? false,
    leading: act?.leading ?? false,
    mayCallTichu: act?.mayCallTichu ?? false,
    table,
    owner: snapshot?.owner,
    trickPoints: points(known(snapshot?.trick ?? [])),
    calls,
    called: calls.has(seat),
    choices: call?.choices.map((choice) => CALLS.get(choice) ?? UNKNOWN) ?? [],
    slots:
      exchange?.slots.map(({ toSeat, count, forcedBest, forcedWorst }) => ({
        toSeat: toSeat ?? 0,
        count,
        forced: forcedBest || forcedWorst,
      })) ?? [],
    seats: chooseSeat?.seats ?? [],
    why: REASONS.get(chooseSeat?.why ?? 0) ?? "",
  };
}

/** The cards of a hand, ascending. */
export function handOf(seat: number, snapshot: Snapshot__Output | undefined): number[] {
  return ascending(known(snapshot?.hands.find((gift) => gift.seat === seat)?.cards ?? []));
}

/** Partners and opponents in turn order after the seat; without teams all are opponents. */
function sidesOf(
  seat: number,
  seating: Seating__Output | undefined,
  snapshot: Snapshot__Output | undefined,
) {
  const order = snapshot?.turnOrder.length
    ? snapshot.turnOrder
    : [...(seating?.names.keys() ?? [])];
  const teams = (snapshot?.teams.length ? snapshot.teams : seating?.teams) ?? [];
  const at = order.indexOf(seat);
  const others = [...order.slice(at + 1), ...order.slice(0, Math.max(at, 0))];
  const isPartner = (other: number) => teams.length > 0 && teams[other] === teams[seat];
  return {
    partners: others.filter(isPartner),
    opponents: others.filter((other) => !isPartner(other)),
  };
}

function playOf({ cards, kind, rankHalves }: Play__Output): Play {
  return { cards: known(cards), kind: KINDS.get(kind) ?? UNKNOWN, rankHalves };
}

function known(cards: readonly number[]): number[] {
  return cards.filter(isCard);
}

function betsOf(made: readonly CallMade__Output[]): ReadonlyMap<number, string> {
  const bets = made.filter(({ call }) => BETS.includes(call));
  bets.sort((one, other) => BETS.indexOf(one.call) - BETS.indexOf(other.call));
  return new Map(bets.map(({ seat, call }) => [seat, CALLS.get(call) as string]));
}

/** The answer to the ask as the referee reads it. */
export function decisionOf(answer: Answer, ask: Ask__Output): Decision {
  if ("default" in answer) return DEFAULT_ACTION;
  if ("pass" in answer) return { act: { pass: {} } };
  if ("decline" in answer) return { bomb: { decline: {} } };
  if ("seat" in answer) return { chooseSeat: { seat: answer.seat } };
  if ("index" in answer) return ask.bomb ? { bomb: { index: answer.index } } : { act: answer };
  if ("gifts" in answer) {
    const gifts = (ask.exchange?.slots ?? []).map(({ toSeat }, slot) => ({
      seat: toSeat ?? 0,
      cards: (answer.gifts[slot] ?? []) as Card[],
    }));
    return { exchange: { gifts } };
  }
  const choice = ask.call?.choices.find((number) => CALLS.get(number) === answer.choice);
  return choice === undefined ? DEFAULT_ACTION : { call: { choice } };
}
