import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { status } from "@grpc/grpc-js";
import type { Ask } from "./_gen/tichu/referee/v1/Ask.js";
import { CallKind } from "./_gen/tichu/referee/v1/CallKind.js";
import { Card } from "./_gen/tichu/referee/v1/Card.js";
import { ClosingCode } from "./_gen/tichu/referee/v1/ClosingCode.js";
import { Pace } from "./_gen/tichu/referee/v1/Pace.js";
import { Phase } from "./_gen/tichu/referee/v1/Phase.js";
import { PlayKind } from "./_gen/tichu/referee/v1/PlayKind.js";
import type { PlayRequest__Output } from "./_gen/tichu/referee/v1/PlayRequest.js";
import { RefusalCode } from "./_gen/tichu/referee/v1/RefusalCode.js";
import { Route, isLocal } from "./dial.js";
import { ScriptedReferee, type Stream } from "./scripted_referee.js";

const MAIN = fileURLToPath(new URL("main.js", import.meta.url));
const WITHIN = { timeout: 20_000 };

async function listen(t: TestContext, where?: string) {
  const listening = await ScriptedReferee.listen(where);
  t.after(() => listening.referee.stop());
  return listening;
}

interface Running {
  readonly child: ChildProcess;
  /** Exit code and everything on stderr. */
  readonly exit: Promise<{ code: number | null; stderr: string }>;
}

/** Starts the built bot as a referee does, from a folder that is not its own. */
function start(t: TestContext, env: Record<string, string>, ...flags: string[]): Running {
  const child = spawn(process.execPath, [MAIN, ...flags], {
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "inherit", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let stderr = "";
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  const exit = once(child, "close").then(([code]) => ({ code: code as number | null, stderr }));
  return { child, exit };
}

const turn = (askId: number, mayPass = false): Ask => ({
  askId,
  act: { plays: [{ cards: [Card.CARD_STAR_6], kind: PlayKind.PLAY_KIND_SINGLE }], mayPass },
});

/** What was decided, without the parts that the wire leaves out or sets to their default. */
const decisions = (frame: PlayRequest__Output) =>
  frame.answers.map(({ match, askId, decision }) => [match, askId, decision]);

/** Asks once more and sees the answer: the bot is there and plays. */
async function playsOn(stream: Stream, askId: number): Promise<void> {
  stream.send({ updates: [{ match: 1, asks: [turn(askId)] }] });
  assert.deepEqual(decisions(await stream.nextFrame()), [[1, askId, "act"]]);
}

async function saysGoodbye(bot: Running, stream: Stream, signal: NodeJS.Signals): Promise<void> {
  bot.child.kill(signal);
  assert.equal((await stream.nextFrame()).goodbye?.text, signal);
  assert.equal(await stream.next(), "end");
  stream.end();
  assert.equal((await bot.exit).code, 0);
}

test("Hello names bot and protocol, the token travels as metadata", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const env = { TICHU_SERVER: address, TICHU_TOKEN: "secret", TICHU_BOT_NAME: "Ada" };
  const bot = start(t, env, "--matches", "8");
  const stream = await referee.stream();
  assert.deepEqual(stream.metadata.get("authorization"), ["Bearer secret"]);
  const { hello } = await stream.welcome();
  assert.equal(hello?.protocolVersion, 1);
  assert.equal(hello?.botName, "Ada");
  assert.equal(hello?.maxMatches, 8);
  assert.equal(hello?.sessionToken, undefined);
  await saysGoodbye(bot, stream, "SIGTERM");
});

test("one frame answers all asks of a frame, over all matches, and its ping", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const bot = start(t, { TICHU_SERVER: address });
  const stream = await referee.stream();
  await stream.welcome();
  const hands = [
    { seat: 2, cards: [Card.CARD_DRAGON, Card.CARD_JADE_2, Card.CARD_JADE_3, Card.CARD_JADE_4] },
  ];
  stream.send({
    ping: { number: 7 },
    updates: [
      { match: 1, asks: [{ askId: 1, call: { choices: [2, 3] } }] },
      {
        match: 2,
        snapshot: { phase: Phase.PHASE_EXCHANGE, hands, turnOrder: [0, 1, 2, 3], teams: [0, 1, 0, 1] },
        asks: [
          {
            askId: 4,
            forSeat: 2,
            exchange: { slots: [3, 0, 1].map((toSeat) => ({ toSeat, count: 1 })) },
          },
        ],
      },
      { match: 3, asks: [turn(9)] },
      { match: 4, asks: [{ askId: 2, chooseSeat: { why: 1, seats: [0, 2] } }] },
      { match: 5, asks: [turn(1), turn(2)], cancelled: [{ askId: 1, reason: 1 }] },
    ],
  });
  const frame = await stream.nextFrame();
  assert.equal(frame.pong?.number, 7);
  assert.deepEqual(decisions(frame), [
    [1, 1, "call"],
    [2, 4, "exchange"],
    [3, 9, "act"],
    [4, 2, "chooseSeat"],
    [5, 2, "act"],
  ]);
  const [call, exchange, act, choose] = frame.answers;
  assert.equal(call?.call?.choice, CallKind.CALL_KIND_NO_GRAND);
  assert.deepEqual(
    exchange?.exchange?.gifts.map(({ seat, cards }) => [seat, cards]),
    [
      [3, [Card.CARD_JADE_2]],
      [0, [Card.CARD_JADE_4]],
      [1, [Card.CARD_JADE_3]],
    ],
  );
  assert.equal(act?.act?.choice, "index");
  assert.equal(act?.act?.index, 0);
  assert.equal(choose?.chooseSeat?.seat, 0);
  await saysGoodbye(bot, stream, "SIGINT");
});

test("in pace fair a hand without a bomb stands down once a round", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const bot = start(t, { TICHU_SERVER: address });
  const stream = await referee.stream();
  await stream.welcome();
  const bomb = [Card.CARD_JADE_6, Card.CARD_SWORD_6, Card.CARD_PAGODA_6, Card.CARD_STAR_6];
  let askId = 0;
  const standDowns = async (pace: 1 | 2, round: number, cards: Card[], phase: Phase) => {
    askId += 1;
    const snapshot = { round, phase, hands: [{ seat: 3, cards }] };
    const asks = [{ askId, forSeat: 3, bomb: {} }];
    stream.send({ updates: [{ match: pace, seating: { seat: 3, pace }, snapshot, asks }] });
    const frame = await stream.nextFrame();
    assert.deepEqual(decisions(frame), [[pace, askId, "bomb"]]);
    assert.equal(frame.answers[0]?.bomb?.choice, "decline");
    return frame.standDowns.map(({ forSeat }) => forSeat);
  };
  const { PACE_FAIR, PACE_FAST } = Pace;
  const [weak, play] = [[Card.CARD_JADE_6], Phase.PHASE_PLAY];
  assert.deepEqual(await standDowns(PACE_FAIR, 1, weak, Phase.PHASE_EXCHANGE), []);
  assert.deepEqual(await standDowns(PACE_FAIR, 1, bomb, play), []);
  assert.deepEqual(await standDowns(PACE_FAST, 1, weak, play), []);
  assert.deepEqual(await standDowns(PACE_FAIR, 1, weak, play), [3]);
  stream.send({
    updates: [
      { match: 1, snapshot: { round: 1, phase: play }, asks: [{ askId: 90, forSeat: 3, bomb: {} }] },
      { match: 1, snapshot: { round: 2, phase: play }, asks: [{ askId: 91, forSeat: 3, bomb: {} }] },
    ],
  });
  assert.equal((await stream.nextFrame()).standDowns.length, 1, "the first of these said it before");
  await saysGoodbye(bot, stream, "SIGTERM");
});

test("a refused answer is followed by the substitute action", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  start(t, { TICHU_SERVER: address });
  const stream = await referee.stream();
  await stream.welcome();
  const code = RefusalCode.REFUSAL_CODE_TOO_LOW;
  const refused = [
    { askId: 5, code, resendsLeft: 1 },
    { askId: 6, code, resendsLeft: 0 },
  ];
  stream.send({ updates: [{ match: 1, refused }] });
  assert.deepEqual(decisions(await stream.nextFrame()), [[1, 5, "defaultAction"]]);
  stream.send({ updates: [{ match: 1, refused }] }); // once is enough
  await playsOn(stream, 7);
});

test("fields, kinds and numbers of a later protocol do no harm", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const bot = start(t, { TICHU_SERVER: address });
  const stream = await referee.stream();
  await stream.welcome();
  const field = (number: number, body: number[]) => [(number << 3) | 2, body.length, ...body];
  const match = [0x08, 1]; // Update.match = 1
  const askId = (id: number) => [0x08, id];
  const unknownEvent = field(3, [0x08, 1, 0x7a, 0]); // Event {number: 1, 15: {}}
  const unknownKind = field(4, [...askId(1), 0x7a, 0]); // Ask {ask_id: 1, 15: {}}
  // A play with an unknown card (127) and an unknown kind (99), its cards not packed.
  const unknownPlay = field(1, [0x08, 127, 0x08, 44, 0x18, 99]);
  const act = field(4, [...askId(2), ...field(8, unknownPlay)]);
  const newField = [0xfa, 0x07, 0]; // field 127, empty
  stream.send(
    Buffer.from([...field(6, [...match, ...unknownEvent, ...unknownKind, ...act]), ...newField]),
  );
  assert.deepEqual(decisions(await stream.nextFrame()), [
    [1, 1, "defaultAction"],
    [1, 2, "act"],
  ]);
  stream.send({ closing: { code: 99 as ClosingCode, retry: false } });
  assert.equal((await bot.exit).code, 4);
});

test("after a lost link the bot is back with its session and its stand-down", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const bot = start(t, { TICHU_SERVER: address });
  const first = await referee.stream();
  await first.welcome({ sessionToken: "come back" });
  await playsOn(first, 1);
  first.end({ code: status.UNAVAILABLE, details: "the link broke" });

  const second = await referee.stream();
  const { hello } = await second.welcome({ sessionToken: "come back", resumed: true });
  assert.equal(hello?.sessionToken, "come back");
  const back = (match: number, stoodDown: number[]) => ({
    match,
    seating: { pace: Pace.PACE_FAIR },
    snapshot: { phase: Phase.PHASE_PLAY, stoodDown },
    asks: [turn(2)],
  });
  second.send({ updates: [back(1, [0]), back(2, [])] });
  const frame = await second.nextFrame();
  assert.deepEqual(decisions(frame), [
    [1, 2, "act"],
    [2, 2, "act"],
  ]);
  assert.deepEqual(frame.standDowns.map(({ match, forSeat }) => [match, forSeat]), [[2, 0]]);
  await saysGoodbye(bot, second, "SIGTERM");
});

test("servers are tried in the order of the list", WITHIN, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tichu-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { referee, address } = await listen(t, `unix:${folder}/referee`);
  start(t, { TICHU_SERVER: `unix:${folder}/nobody, ${address}` });
  const stream = await referee.stream();
  await stream.welcome();
  await playsOn(stream, 1);
});

test("five redirects in a row are followed, a sixth is not", WITHIN, async (t) => {
  const here = await listen(t);
  const there = await listen(t);
  const bot = start(t, { TICHU_SERVER: here.address });
  const redirect = async (from: ScriptedReferee, to: string) => {
    const stream = await from.stream();
    await stream.nextFrame();
    stream.send({ redirect: { address: to } });
  };
  for (let hop = 0; hop < 4; hop++) await redirect(here.referee, here.address);
  await redirect(here.referee, there.address);
  const stream = await there.referee.stream();
  assert.equal((await stream.welcome()).hello?.sessionToken, undefined);
  await playsOn(stream, 1);
  stream.end();
  for (let hop = 0; hop < 6; hop++) await redirect(there.referee, there.address);
  const { code, stderr } = await bot.exit;
  assert.equal(code, 4);
  assert.match(stderr, /five redirects in a row/);
});

test("Moved is followed at once and with the session", WITHIN, async (t) => {
  const here = await listen(t);
  const there = await listen(t);
  start(t, { TICHU_SERVER: here.address });
  const old = await here.referee.stream(); // stays open on the referee's side
  await old.welcome({ sessionToken: "on the road" });
  const moved = performance.now();
  old.send({ moved: { address: there.address }, updates: [{ match: 1, asks: [turn(1)] }] });
  assert.deepEqual(decisions(await old.nextFrame()), [[1, 1, "act"]]);
  const stream = await there.referee.stream();
  assert.ok(performance.now() - moved < 1_500, "the bot waited for the end of the old stream");
  assert.equal((await stream.welcome()).hello?.sessionToken, "on the road");
  await playsOn(stream, 2);
});

test("Closing says whether to come back", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const bot = start(t, { TICHU_SERVER: address });
  for (const retry of [true, false]) {
    const stream = await referee.stream();
    await stream.welcome();
    stream.send({ closing: { code: ClosingCode.CLOSING_CODE_DRAINING, text: "bye", retry } });
    stream.end({ code: status.UNAVAILABLE, details: "draining" });
  }
  assert.equal((await bot.exit).code, 0);
});

test("the bot ends in order when another process took over", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const closed = start(t, { TICHU_SERVER: address });
  const stream = await referee.stream();
  await stream.welcome();
  stream.send({ closing: { code: ClosingCode.CLOSING_CODE_SUPERSEDED, text: "you are two" } });
  const { code, stderr } = await closed.exit;
  assert.equal(code, 0);
  assert.match(stderr, /^connected to .* as greedy-typescript\n.*you are two/);
  const aborted = start(t, { TICHU_SERVER: address });
  (await referee.stream()).end({ code: status.ABORTED, details: "another Hello" });
  assert.equal((await aborted.exit).code, 0);
});

test("a referee that refuses the bot is not asked again", WITHIN, async (t) => {
  const { referee, address } = await listen(t);
  const bot = start(t, { TICHU_SERVER: address, TICHU_TOKEN: "stale" });
  const stream = await referee.stream();
  stream.end({ code: status.UNAUTHENTICATED, details: "unknown token" });
  const { code, stderr } = await bot.exit;
  assert.equal(code, 4);
  assert.match(stderr, /UNAUTHENTICATED unknown token/);
});

test("the bot ends when the referee and its socket are gone", WITHIN, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tichu-"));
  const { referee, address } = await listen(t, `unix:${folder}/referee`);
  const bot = start(t, { TICHU_SERVER: address }, "--give-up", "1");
  const stream = await referee.stream();
  await stream.welcome();
  await playsOn(stream, 1);
  rmSync(folder, { recursive: true });
  referee.stop();
  const { code, stderr } = await bot.exit;
  assert.equal(code, 3);
  assert.match(stderr, /the referee is gone/);
});

test("the bot gives up on a referee that never answers", WITHIN, async (t) => {
  const bot = start(t, { TICHU_SERVER: "unix:/nowhere/referee" }, "--give-up", "1");
  assert.equal((await bot.exit).code, 3);
});

test("a token leaves the machine only under TLS or when told so", WITHIN, async (t) => {
  const env = { TICHU_SERVER: "192.0.2.1:7", TICHU_TOKEN: "secret" };
  const { code, stderr } = await start(t, env).exit;
  assert.equal(code, 2);
  assert.match(stderr, /TICHU_CA_FILE.*--plaintext/);
  assert.doesNotMatch(stderr, /secret/);
  const local = ["unix:/run/x", "127.0.0.1:1", "localhost:1", "[::1]:1"];
  const remote = ["127.example.org:1", "10.0.0.1:1", "localhost.example.org:1", "[::2]:1"];
  assert.deepEqual(local.filter(isLocal), local);
  assert.deepEqual(remote.filter(isLocal), []);
});

test("settings that cannot be used are named in one line", WITHIN, async (t) => {
  const here = { TICHU_SERVER: "127.0.0.1:1" };
  const cases: [Record<string, string>, string[], RegExp][] = [
    [{}, [], /^TICHU_SERVER is not set.*\n$/],
    [{ TICHU_SERVER: "127.0.0.1" }, [], /^TICHU_SERVER 127\.0\.0\.1: .*\n$/],
    [{ TICHU_SERVER: "unix:" }, [], /^TICHU_SERVER unix:: .*\n$/],
    [here, ["--matches", "0"], /^--matches 0: .*\n$/],
    [here, ["--give-up", "soon"], /^--give-up soon: .*\n$/],
    [here, ["--nonsense"], /^.*--nonsense.*\n$/],
    [{ TICHU_SERVER: "127.0.0.1:1,h:0" }, [], /^TICHU_SERVER h:0: .*\n$/],
    [{ TICHU_SERVER: "127.0.0.1:99999" }, [], /^TICHU_SERVER 127\.0\.0\.1:99999: .*\n$/],
    [{ ...here, TICHU_CA_FILE: "/nowhere/ca" }, [], /^TICHU_CA_FILE \/nowhere\/ca: .*\n$/],
    [{ ...here, TICHU_CA_FILE: "/" }, [], /^TICHU_CA_FILE \/: .*\n$/],
    [{ ...here, TICHU_CA_FILE: fileURLToPath(import.meta.url) }, [], /^TICHU_CA_FILE .*no certificate.*\n$/],
    [{ ...here, TICHU_TOKEN: "secret\n" }, [], /^TICHU_TOKEN holds .*\n$/],
    [{ ...here, TICHU_TOKEN: "s\u00e4secret" }, [], /^TICHU_TOKEN holds .*\n$/],
  ];
  for (const [env, flags, line] of cases) {
    const { code, stderr } = await start(t, env, ...flags).exit;
    assert.equal(code, 2, stderr);
    assert.match(stderr, line);
  }
});

test("pauses grow from 100 ms to 2 s and start again after a good link", () => {
  const route = new Route(["a"]);
  const pauses = Array.from({ length: 7 }, () => {
    assert.equal(route.next(), "a");
    return route.failed(0);
  });
  assert.deepEqual(pauses, [100, 200, 400, 800, 1600, 2000, 2000]);
  route.next();
  assert.equal(route.failed(5_000), 100);
});

test("all addresses are tried without a pause, the last good one first", () => {
  const route = new Route(["a", "b"]);
  assert.deepEqual([route.next(), route.failed(0), route.next()], ["a", 0, "b"]);
  assert.ok(route.redirected("c"));
  assert.equal(route.next(), "c");
  route.welcomed("c");
  assert.equal(route.failed(0), 100);
  assert.deepEqual([route.next(), route.next(), route.next(), route.next()], ["c", "a", "b", "c"]);
});
