import assert from "node:assert/strict";
import { test } from "node:test";
import { commitment, holdsBomb, parse, points, rank, show, shuffle } from "./cards.js";
import { vectors } from "./vectors.js";

interface CardLine {
  readonly text: string;
  readonly error?: true;
  readonly cards: number[];
  readonly ranks: number[];
  readonly points: number;
  readonly bomb: boolean;
}

interface ShuffleLine {
  readonly seed?: string;
  readonly cards: number[];
  readonly order: number[];
  readonly match_id: string;
  readonly deal_seed: string;
  readonly commit: string;
}

const bytes = (hex: string) => Buffer.from(hex, "hex");

test("cards are read and written as the vectors have them", () => {
  for (const line of vectors<CardLine>("cards.jsonl")) {
    if (line.error) {
      assert.throws(() => parse(line.text), line.text);
      continue;
    }
    const cards = parse(line.text);
    assert.deepEqual(cards, line.cards);
    assert.equal(show([...cards].reverse()), line.text);
    assert.deepEqual(cards.map(rank), line.ranks);
    assert.equal(points(cards), line.points);
    assert.equal(holdsBomb(cards), line.bomb, line.text);
  }
});

test("shuffles and commitments are those of the vectors", () => {
  for (const line of vectors<ShuffleLine>("shuffle.jsonl")) {
    if (line.seed !== undefined)
      assert.deepEqual(shuffle(bytes(line.seed), line.cards), line.order);
    else
      assert.deepEqual(commitment(line.match_id, bytes(line.deal_seed)), bytes(line.commit));
  }
});
