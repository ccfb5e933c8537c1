// One session with a referee: a frame in, at most one frame out. No sockets and
// no clock here, so it outlives any stream. Asks carry a snapshot, so all that
// is remembered of a match is how it is seated and which hands stood down.
import type { Answer } from "./_gen/tichu/referee/v1/Answer.js";
import type { Ask__Output } from "./_gen/tichu/referee/v1/Ask.js";
import { EventDelivery } from "./_gen/tichu/referee/v1/EventDelivery.js";
import type { Hello } from "./_gen/tichu/referee/v1/Hello.js";
import { Pace } from "./_gen/tichu/referee/v1/Pace.js";
import { Phase } from "./_gen/tichu/referee/v1/Phase.js";
import type { PlayRequest } from "./_gen/tichu/referee/v1/PlayRequest.js";
import type { PlayResponse__Output } from "./_gen/tichu/referee/v1/PlayResponse.js";
import type { Refused__Output } from "./_gen/tichu/referee/v1/Refused.js";
import type { Seating__Output } from "./_gen/tichu/referee/v1/Seating.js";
import type { Snapshot__Output } from "./_gen/tichu/referee/v1/Snapshot.js";
import type { StandDown } from "./_gen/tichu/referee/v1/StandDown.js";
import type { Update__Output } from "./_gen/tichu/referee/v1/Update.js";
import { holdsBomb } from "./cards.js";
import { log } from "./log.js";
import { decide } from "./strategy.js";
import { DEFAULT_ACTION, type Decision, decisionOf, handOf, viewOf } from "./wire.js";

export const PROTOCOL_VERSION = 1;
const VERSION = "0.1.0";
const SDK = "tichu-sample-typescript 0.1";

// No hand can bomb before the exchange is over or after the round is.
const BOMBS_POSSIBLE: ReadonlySet<number> = new Set([
  Phase.PHASE_PLAY,
  Phase.PHASE_CLOSING,
  Phase.PHASE_DRAGON,
  Phase.PHASE_DOG,
]);

/** What the answers to one frame are collected in. */
class Outbox {
  /** Open asks of the frame by match and number: a later part of the frame may cancel one. */
  readonly #decisions = new Map<string, { match: number; askId: number; decide(): Decision }>();
  readonly standDowns: StandDown[] = [];

  owe(match: number, askId: number, decide: () => Decision): void {
    this.#decisions.set(`${match}/${askId}`, { match, askId, decide });
  }

  cancel(match: number, askId: number): void {
    this.#decisions.delete(`${match}/${askId}`);
  }

  answers(): Answer[] {
    return [...this.#decisions.values()].map(({ match, askId, decide }) => {
      try {
        return { match, askId, ...decide() };
      } catch (error) {
        log(`the strategy failed: match ${match}, ask ${askId}: ${String(error)}`);
        return { match, askId, ...DEFAULT_ACTION };
      }
    });
  }
}

/** What is remembered of a match. */
interface Seat {
  seating: Seating__Output | undefined;
  /** "round/hand" of what stood down already. */
  readonly stoodDown: Set<string>;
  /** Asks that were left to the referee after a refusal. */
  readonly leftToReferee: Set<number>;
}

function newSeat(): Seat {
  return { seating: undefined, stoodDown: new Set(), leftToReferee: new Set() };
}

export interface SessionOptions {
  /** Name for display, 1 to 64 characters. */
  readonly botName: string;
  /** Matches played at once, 1 to 512. */
  readonly maxMatches: number;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #seats = new Map<number, Seat>(); // by match number
  #token: string | undefined;
  #lastRequest = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Token of the last Welcome: brings this process back into its seats. */
  get token(): string | undefined {
    return this.#token;
  }

  /** The first frame of every stream. */
  hello(): PlayRequest {
    const hello: Hello = {
      protocolVersion: PROTOCOL_VERSION,
      botName: this.#options.botName,
      botVersion: VERSION,
      maxMatches: this.#options.maxMatches,
      // This bot looks at nothing but asks.
      eventDelivery: EventDelivery.EVENT_DELIVERY_WITH_ASKS,
      sdk: SDK,
    };
    return { hello: this.#token === undefined ? hello : { ...hello, sessionToken: this.#token } };
  }

  /** Takes in one frame; returns the frame that answers all of it, or nothing if nothing is due. */
  reply(frame: PlayResponse__Output): PlayRequest | undefined {
    if (frame.welcome) {
      this.#token = frame.welcome.sessionToken;
      if (!frame.welcome.resumed) this.#seats.clear();
    }
    for (const refused of frame.refused) logRefused(refused);
    const outbox = new Outbox();
    for (const update of frame.updates) this.#takeIn(update, outbox);
    const request: PlayRequest = {};
    const answers = outbox.answers();
    if (answers.length > 0) request.answers = answers;
    if (outbox.standDowns.length > 0) request.standDowns = outbox.standDowns;
    if (frame.ping) request.pong = { number: frame.ping.number };
    return Object.keys(request).length > 0 ? request : undefined;
  }

  #takeIn(update: Update__Output, outbox: Outbox): void {
    const { match } = update;
    const seat = this.#seats.get(match) ?? newSeat();
    this.#seats.set(match, seat);
    if (update.seating) {
      seat.seating = update.seating;
      seat.stoodDown.clear(); // what got lost with a link is said again: the snapshot knows
    }
    for (const ask of update.asks) this.#ask(match, ask, seat, update.snapshot ?? undefined, outbox);
    for (const refused of update.refused) {
      logRefused(refused, match);
      // The answer was no good and the clock runs: take the safe way out.
      const { askId } = refused;
      if (askId === undefined || refused.resendsLeft === 0 || seat.leftToReferee.has(askId)) continue;
      seat.leftToReferee.add(askId);
      outbox.owe(match, askId, () => DEFAULT_ACTION);
    }
    for (const { askId } of update.cancelled) outbox.cancel(match, askId);
    if (update.events.some((event) => event.matchEnded)) this.#seats.delete(match);
  }

  #ask(
    match: number,
    ask: Ask__Output,
    seat: Seat,
    snapshot: Snapshot__Output | undefined,
    outbox: Outbox,
  ): void {
    outbox.owe(match, ask.askId, () => decisionOf(decide(viewOf(ask, seat.seating, snapshot)), ask));
    if (seat.seating?.pace !== Pace.PACE_FAIR || snapshot === undefined) return;
    const { phase, round, stoodDown } = snapshot;
    const key = `${round}/${ask.forSeat}`;
    const said = stoodDown.includes(ask.forSeat) || seat.stoodDown.has(key);
    if (said || !BOMBS_POSSIBLE.has(phase) || holdsBomb(handOf(ask.forSeat, snapshot))) return;
    // A hand without a bomb gets none before the round is over: no window need wait for it.
    seat.stoodDown.add(key);
    this.#lastRequest += 1;
    outbox.standDowns.push({ match, forSeat: ask.forSeat, requestId: this.#lastRequest });
  }
}

function logRefused({ askId, code, clause, text }: Refused__Output, match?: number): void {
  const where = match === undefined ? "" : ` in match ${match}, ask ${askId ?? "none"}`;
  log(`refused${where}: code ${code} ${clause} ${text}`);
}
