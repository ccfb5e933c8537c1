// One session with a referee: a frame in, at most one frame out. No sockets and
// no clock here, so it outlives any stream. Asks carry a snapshot, therefore the
// only memory of a match is which hands stood down in the running round.
import type { Answer } from "./_gen/tichu/referee/v1/Answer.js";
import type { Ask__Output } from "./_gen/tichu/referee/v1/Ask.js";
import type { Event__Output } from "./_gen/tichu/referee/v1/Event.js";
import { EventDelivery } from "./_gen/tichu/referee/v1/EventDelivery.js";
import { Phase } from "./_gen/tichu/referee/v1/Phase.js";
import type { Hello } from "./_gen/tichu/referee/v1/Hello.js";
import type { PlayRequest } from "./_gen/tichu/referee/v1/PlayRequest.js";
import type { PlayResponse__Output } from "./_gen/tichu/referee/v1/PlayResponse.js";
import type { Refused__Output } from "./_gen/tichu/referee/v1/Refused.js";
import type { Seating__Output } from "./_gen/tichu/referee/v1/Seating.js";
import type { Snapshot__Output } from "./_gen/tichu/referee/v1/Snapshot.js";
import type { StandDown } from "./_gen/tichu/referee/v1/StandDown.js";
import type { Update__Output } from "./_gen/tichu/referee/v1/Update.js";
import type { Welcome__Output } from "./_gen/tichu/referee/v1/Welcome.js";
import { log } from "./log.js";
import { DEFAULT, type Decision, decide } from "./strategy.js";

export const PROTOCOL_VERSION = 1;

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
  readonly decisions = new Map<string, { match: number; askId: number; decide: () => Decision }>();
  readonly standDowns: StandDown[] = [];

  owe(match: number, askId: number, decide: () => Decision): void {
    this.decisions.set(`${match}/${askId}`, { match, askId, decide });
  }

  cancel(match: number, askId: number): void {
    this.decisions.delete(`${match}/${askId}`);
  }

  answers(): Answer[] {
    return [...this.decisions.values()].map(({ match, askId, decide }) => {
      try {
        return { match, askId, ...decide() };
      } catch (error) {
        log("strategy_failed", { match, ask: askId, error: String(error) });
        return { match, askId, ...DEFAULT };
      }
    });
  }
}

export interface SessionOptions {
  /** Name for display, 1 to 64 characters. */
  readonly botName: string;
  /** Matches played at once, 1 to 512. */
  readonly maxMatches: number;
}

export class Session {
  readonly #options: SessionOptions;
  /** By match number: the hands that stood down in the running round. */
  readonly #stoodDown = new Map<number, Set<number>>();
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
      botVersion: "0.1.0",
      maxMatches: this.#options.maxMatches,
      // This bot looks at events only when it must decide.
      eventDelivery: EventDelivery.EVENT_DELIVERY_WITH_ASKS,
      sdk: "typescript-sample/0.1.0",
    };
    return { hello: this.#token === undefined ? hello : { ...hello, sessionToken: this.#token } };
  }

  /** Takes in one frame; returns the frame that answers all of it, or nothing if nothing is due. */
  reply(frame: PlayResponse__Output): PlayRequest | undefined {
    if (frame.welcome) this.#welcome(frame.welcome);
    for (const refused of frame.refused) logRefused(undefined, refused);
    const outbox = new Outbox();
    for (const update of frame.updates) this.#takeIn(update, outbox);
    const request: PlayRequest = {};
    const answers = outbox.answers();
    if (answers.length > 0) request.answers = answers;
    if (outbox.standDowns.length > 0) request.standDowns = outbox.standDowns;
    if (frame.ping) request.pong = { number: frame.ping.number };
    return Object.keys(request).length > 0 ? request : undefined;
  }

  #welcome(welcome: Welcome__Output): void {
    this.#token = welcome.sessionToken;
    if (!welcome.resumed) this.#stoodDown.clear();
    log("welcome", { server: welcome.server, resumed: welcome.resumed });
  }

  #takeIn(update: Update__Output, outbox: Outbox): void {
    const { match, snapshot } = update;
    if (update.seating) this.#seat(match, update.seating, snapshot, outbox);
    for (const event of update.events) this.#event(match, event, outbox);
    for (const ask of update.asks) this.#ask(match, ask, snapshot, outbox);
    for (const refused of update.refused) {
      logRefused(match, refused);
      // Our answer was no good and the clock runs: take the safe way out.
      if (refused.askId !== undefined && refused.resendsLeft > 0)
        outbox.owe(match, refused.askId, () => DEFAULT);
    }
    for (const cancelled of update.cancelled) outbox.cancel(match, cancelled.askId);
  }

  /** A seat is taken, or a stream came back: then the snapshot knows what was said before. */
  #seat(
    match: number,
    seating: Seating__Output,
    snapshot: Snapshot__Output | null,
    outbox: Outbox,
  ): void {
    log("seated", { match, id: seating.matchId, seat: seating.seat });
    this.#stoodDown.set(match, new Set(snapshot?.stoodDown));
    if (snapshot && BOMBS_POSSIBLE.has(snapshot.phase))
      this.#standDown(match, seating.seat, outbox);
  }

  #event(match: number, event: Event__Output, outbox: Outbox): void {
    if (event.roundStarted) this.#stoodDown.get(match)?.clear();
    for (const hand of event.cardsExchanged?.hands ?? []) this.#standDown(match, hand.seat, outbox);
    if (event.matchEnded) {
      this.#stoodDown.delete(match);
      const { ending, totals, rounds } = event.matchEnded;
      log("match_ended", { match, ending, totals, rounds });
    }
  }

  #ask(match: number, ask: Ask__Output, snapshot: Snapshot__Output | null, outbox: Outbox): void {
    const hand = snapshot?.hands.find((gift) => gift.seat === ask.forSeat)?.cards ?? [];
    outbox.owe(match, ask.askId, () => decide(ask, hand));
    // For a hand that missed the exchange, for example in a game without one.
    if (ask.bomb) this.#standDown(match, ask.forSeat, outbox);
  }

  /** This bot bombs only in its turn, so it declines all windows of a round at once. */
  #standDown(match: number, forSeat: number, outbox: Outbox): void {
    const hands = this.#stoodDown.get(match) ?? new Set<number>();
    this.#stoodDown.set(match, hands);
    if (hands.has(forSeat)) return;
    hands.add(forSeat);
    this.#lastRequest += 1;
    outbox.standDowns.push({ match, forSeat, requestId: this.#lastRequest });
  }
}

function logRefused(match: number | undefined, refused: Refused__Output): void {
  const { askId: ask, requestId: request, code, clause, text } = refused;
  log("refused", { match, ask, request, code, clause, text });
}
