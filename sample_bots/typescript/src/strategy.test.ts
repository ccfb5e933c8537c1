import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./strategy.js";
import { type StatedView, readView, vectors, writeAnswer } from "./vectors.js";

interface Line {
  readonly id: string;
  readonly title: string;
  readonly view: StatedView;
  readonly answer: unknown;
}

test("every view is answered as the bots of all languages do", () => {
  const lines = vectors<Line>("views.jsonl");
  assert.ok(lines.length > 300);
  for (const { id, title, view, answer } of lines)
    assert.deepEqual(writeAnswer(decide(readView(view))), answer, `${id} ${title}`);
});
