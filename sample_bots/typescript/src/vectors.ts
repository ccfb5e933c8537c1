// For the tests: the vectors that all sample bots share, from ./vectors in a copy
// of this folder, from the tests of the repository otherwise.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, show } from "./cards.js";
import type { Answer, Play, Slot, View } from "./strategy.js";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = [join(here, "vectors"), join(here, "..", "..", "tests", "vectors")].find(existsSync);

/** The lines of a file of vectors. */
export function vectors<Line>(name: string): Line[] {
  if (folder === undefined) throw new Error("no ./vectors or ../../tests/vectors: copy them here");
  const lines = readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

interface StatedPlay {
  readonly cards: string;
  readonly kind: string;
  readonly rank_halves: number;
}

/** A view as JSON: what is empty is left out. */
export interface StatedView {
  readonly ask: string;
  readonly seat: number;
  readonly partners?: number[];
  readonly opponents?: number[];
  readonly hand?: string;
  readonly counts: number[];
  readonly plays?: StatedPlay[];
  readonly may_pass?: boolean;
  readonly leading?: boolean;
  readonly may_call_tichu?: boolean;
  readonly table?: StatedPlay;
  readonly owner?: number;
  readonly trick_points?: number;
  readonly calls?: Record<string, string>;
  readonly called?: boolean;
  readonly choices?: string[];
  readonly slots?: { to_seat: number; count: number; forced?: boolean }[];
  readonly seats?: number[];
  readonly why?: string;
}

/** The view that a vector states. */
export function readView(stated: StatedView): View {
  return {
    ask: stated.ask,
    seat: stated.seat,
    partners: stated.partners ?? [],
    opponents: stated.opponents ?? [],
    hand: parse(stated.hand ?? ""),
    counts: stated.counts,
    plays: stated.plays?.map(readPlay) ?? [],
    mayPass: stated.may_pass ?? false,
    leading: stated.leading ?? false,
    mayCallTichu: stated.may_call_tichu ?? false,
    table: stated.table && readPlay(stated.table),
    owner: stated.owner,
    trickPoints: stated.trick_points ?? 0,
    calls: new Map(Object.entries(stated.calls ?? {}).map(([seat, call]) => [Number(seat), call])),
    called: stated.called ?? false,
    choices: stated.choices ?? [],
    slots: stated.slots?.map(readSlot) ?? [],
    seats: stated.seats ?? [],
    why: stated.why ?? "",
  };
}

function readPlay({ cards, kind, rank_halves }: StatedPlay): Play {
  return { cards: parse(cards), kind, rankHalves: rank_halves };
}

function readSlot(stated: { to_seat: number; count: number; forced?: boolean }): Slot {
  return { toSeat: stated.to_seat, count: stated.count, forced: stated.forced ?? false };
}

/** The answer as a vector states it. */
export function writeAnswer(answer: Answer): unknown {
  return "gifts" in answer ? { gifts: answer.gifts.map(show) } : answer;
}
