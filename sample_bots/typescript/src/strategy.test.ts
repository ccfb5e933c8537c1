import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ask__Output } from "./_gen/tichu/referee/v1/Ask.js";
import { CallKind } from "./_gen/tichu/referee/v1/CallKind.js";
import { Card, type Card__Output } from "./_gen/tichu/referee/v1/Card.js";
import { ChooseSeatReason } from "./_gen/tichu/referee/v1/ChooseSeatReason.js";
import type { ExchangeSlot__Output } from "./_gen/tichu/referee/v1/ExchangeSlot.js";
import type { Play__Output } from "./_gen/tichu/referee/v1/Play.js";
import { PlayKind } from "./_gen/tichu/referee/v1/PlayKind.js";
import { DEFAULT, decide } from "./strategy.js";

const ask = (kind: Partial<Ask__Output>): Ask__Output => ({
  askId: 1,
  forSeat: 0,
  provisional: false,
  ...kind,
});
const play = (kind: number, ...cards: Card__Output[]): Play__Output => ({
  cards,
  kind: kind as Play__Output["kind"],
  rankHalves: 0,
});
const act = (plays: Play__Output[], mayPass: boolean, hand: Card__Output[] = []) =>
  decide(
    ask({ act: { plays, mayPass, leading: !mayPass, mayCallTichu: false, wishRequired: false } }),
    hand,
  );
const slot = (toSeat: number, count: number, forced: Partial<ExchangeSlot__Output> = {}) => ({
  toSeat,
  count,
  forcedBest: false,
  forcedWorst: false,
  ...forced,
});
const exchange = (slots: ExchangeSlot__Output[], hand: Card__Output[]) =>
  decide(ask({ exchange: { slots, standing: [], mayCallTichu: true } }), hand);

const BOMB = play(PlayKind.PLAY_KIND_BOMB, Card.CARD_JADE_2, Card.CARD_SWORD_2);
const SIX = play(PlayKind.PLAY_KIND_SINGLE, Card.CARD_STAR_6);
const MAH_JONG = play(PlayKind.PLAY_KIND_SINGLE, Card.CARD_MAH_JONG);

test("a Grand and a Great Grand are declined", () => {
  for (const [yes, no] of [
    [CallKind.CALL_KIND_GRAND, CallKind.CALL_KIND_NO_GRAND],
    [CallKind.CALL_KIND_GREAT_GRAND, CallKind.CALL_KIND_NO_GREAT_GRAND],
  ] as const)
    assert.deepEqual(decide(ask({ call: { choices: [yes, no] } }), []), { call: { choice: no } });
});

test("a bid, and whether an opponent's call may stand, are left to the referee", () => {
  const bids = [CallKind.CALL_KIND_BID_0, CallKind.CALL_KIND_BID_3];
  const answers = [CallKind.CALL_KIND_ACCEPT, CallKind.CALL_KIND_REFUSE];
  for (const choices of [bids, answers])
    assert.deepEqual(decide(ask({ call: { choices } }), []), DEFAULT);
});

test("a call with unknown choices is left to the referee", () => {
  const choices = [77, 78] as unknown as CallKind[] as never[];
  assert.deepEqual(decide(ask({ call: { choices } }), []), DEFAULT);
});

test("the lowest cards are given away and the special cards kept", () => {
  const slots = [1, 2, 3].map((toSeat) => slot(toSeat, 1));
  const hand = [
    Card.CARD_DOG,
    Card.CARD_DRAGON,
    Card.CARD_MAH_JONG,
    Card.CARD_STAR_ACE,
    Card.CARD_STAR_3,
    Card.CARD_JADE_2,
  ];
  assert.deepEqual(exchange(slots, hand), {
    exchange: {
      gifts: [
        { seat: 1, cards: [Card.CARD_JADE_2] },
        { seat: 2, cards: [Card.CARD_STAR_3] },
        { seat: 3, cards: [Card.CARD_STAR_ACE] },
      ],
    },
  });
});

test("cards of the second pack count like those of the first", () => {
  const hand = [Card.CARD_DOG, Card.CARD_STAR_ACE, Card.CARD_SECOND_JADE_2];
  assert.deepEqual(exchange([slot(0, 2)], hand), {
    exchange: { gifts: [{ seat: 0, cards: [Card.CARD_SECOND_JADE_2, Card.CARD_STAR_ACE] }] },
  });
});

test("forced cards, and an exchange without a known hand, are left to the referee", () => {
  for (const forced of [{ forcedBest: true }, { forcedWorst: true }])
    assert.deepEqual(exchange([slot(1, 1, forced)], [Card.CARD_DRAGON]), DEFAULT);
  assert.deepEqual(exchange([slot(1, 1)], []), DEFAULT);
});

test("the first play that is no bomb is played", () => {
  assert.deepEqual(act([BOMB, SIX, MAH_JONG], true), { act: { index: 1 } });
});

test("a play of a kind of the future is a play", () => {
  assert.deepEqual(act([play(99, Card.CARD_STAR_6)], true), { act: { index: 0 } });
});

test("a bomb is kept while passing is allowed, and played when it is not", () => {
  assert.deepEqual(act([BOMB], true), { act: { pass: {} } });
  assert.deepEqual(act([BOMB], false), { act: { index: 0 } });
});

test("with no play and no pass the referee acts", () => {
  assert.deepEqual(act([], true), { act: { pass: {} } });
  assert.deepEqual(act([], false), DEFAULT);
});

test("the Mah Jong wishes for the highest rank that the hand lacks", () => {
  const hand = [Card.CARD_MAH_JONG, Card.CARD_PHOENIX, Card.CARD_STAR_ACE, Card.CARD_JADE_QUEEN];
  assert.deepEqual(act([MAH_JONG], false, hand), { act: { index: 0, wish: 13 } });
  const second = play(PlayKind.PLAY_KIND_SINGLE, Card.CARD_SECOND_MAH_JONG);
  assert.deepEqual(act([second], false, []), { act: { index: 0, wish: 14 } });
});

test("a bomb out of turn is declined, also with one in hand", () => {
  assert.deepEqual(decide(ask({ bomb: { plays: [BOMB] } }), []), { bomb: { decline: {} } });
});

test("the first seat allowed gets the Dragon's trick, seat 0 included", () => {
  const why = ChooseSeatReason.CHOOSE_SEAT_REASON_DRAGON;
  assert.deepEqual(decide(ask({ chooseSeat: { why, seats: [0, 2] } }), []), {
    chooseSeat: { seat: 0 },
  });
  assert.deepEqual(decide(ask({ chooseSeat: { why, seats: [] } }), []), DEFAULT);
});

test("an ask of a kind of the future is left to the referee", () => {
  assert.deepEqual(decide(ask({}), []), DEFAULT);
});
