// The process: dials, plays until the referee or a signal ends it, comes back
// after a lost link.
import { setTimeout as sleep } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import type { Closing__Output } from "./_gen/tichu/referee/v1/Closing.js";
import { ClosingCode } from "./_gen/tichu/referee/v1/ClosingCode.js";
import type { PlayResponse__Output } from "./_gen/tichu/referee/v1/PlayResponse.js";
import {
  type Config,
  ConfigError,
  type Link,
  Route,
  USAGE,
  openLink,
  readConfig,
} from "./dial.js";
import { log } from "./log.js";
import { Session } from "./session.js";

/** Exit statuses. A bug is 1, as of any program of Node. */
const DONE = 0;
const WRONG_SETTINGS = 2;
const REFEREE_GONE = 3;
const REFUSED = 4;

/** How a stream ended. */
type End =
  | { readonly kind: "stopped" }
  | { readonly kind: "elsewhere"; readonly address: string }
  | { readonly kind: "closed"; readonly closing: Closing__Output }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "superseded"; readonly text: string }
  | { readonly kind: "lost"; readonly text: string };

// Before a Welcome these say that trying again would end the same way.
const FINAL: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.FAILED_PRECONDITION,
  status.UNIMPLEMENTED,
]);

// Reasons to end a stream for good that are no fault of ours.
const IN_ORDER: ReadonlySet<number> = new Set([
  ClosingCode.CLOSING_CODE_DRAINING,
  ClosingCode.CLOSING_CODE_SUPERSEDED,
]);

const FIRST_FRAME_WITHIN_MS = 10_000;
const LAST_STATUS_WITHIN_MS = 2_000;
const LEFT_BEHIND_FOR_MS = 100; // enough for what is written; open asks come again elsewhere

class Bot {
  readonly #config: Config;
  readonly #session: Session;
  readonly #route: Route;
  readonly #stop = new AbortController();
  #link: Link | undefined;
  #lastWelcome = performance.now(); // or the start
  #welcomed = false; // on the running stream

  constructor(config: Config) {
    this.#config = config;
    this.#session = new Session(config);
    this.#route = new Route(config.servers);
  }

  /** Says Goodbye where there is somebody to say it to, and ends run(). */
  stop(signal: string): void {
    this.#stop.abort();
    const call = this.#link?.call;
    if (call === undefined || call.writableEnded) return;
    call.write({ goodbye: { text: signal } });
    finish(call, LAST_STATUS_WITHIN_MS);
  }

  /** Plays until the end; returns the exit code. */
  async run(): Promise<number> {
    while (!this.#stop.signal.aborted) {
      const address = this.#route.next();
      const dialled = performance.now();
      const end = await this.#play(address);
      const code = this.#exitCode(end);
      if (code !== undefined) return code;
      if (end.kind !== "elsewhere") await this.#pause(performance.now() - dialled);
    }
    return DONE;
  }

  /** Lives through one stream. */
  async #play(address: string): Promise<End> {
    this.#welcomed = false;
    const link = openLink(address, this.#config, this.#session.token);
    this.#link = link;
    try {
      return await this.#converse(link.call, address);
    } finally {
      // A link that was welcomed was good to its end: looking for the next one begins here.
      if (this.#welcomed) this.#lastWelcome = performance.now();
      this.#link = undefined;
      link.close();
    }
  }

  #converse(call: Link["call"], address: string): Promise<End> {
    return new Promise((resolve) => {
      let end: End | undefined;
      const patience = setTimeout(() => call.cancel(), FIRST_FRAME_WITHIN_MS);
      call.on("data", (frame: PlayResponse__Output) => {
        clearTimeout(patience);
        if (end !== undefined) return;
        end = this.#frame(call, frame, address);
        if (end === undefined) return;
        // The clock of open asks runs: do not wait for the last word of a stream that we leave.
        finish(call, end.kind === "elsewhere" ? LEFT_BEHIND_FOR_MS : LAST_STATUS_WITHIN_MS);
        if (end.kind === "elsewhere") resolve(end);
      });
      call.on("error", () => {}); // the status that follows says the same
      call.on("status", ({ code, details }) => {
        clearTimeout(patience);
        const text = `${status[code]} ${details}`.trim();
        if (this.#stop.signal.aborted) resolve({ kind: "stopped" });
        else resolve(end ?? this.#endOf(code, `${address}: ${text}`));
      });
      call.write(this.#session.hello());
    });
  }

  /** What a status says of a stream that no frame ended. */
  #endOf(code: number, text: string): End {
    if (code === status.ABORTED) return { kind: "superseded", text };
    return { kind: FINAL.has(code) && !this.#welcomed ? "refused" : "lost", text };
  }

  /** Answers one frame; returns how the stream ends if the frame says so. */
  #frame(call: Link["call"], frame: PlayResponse__Output, address: string): End | undefined {
    if (frame.welcome) {
      this.#welcomed = true;
      this.#route.welcomed(address);
      log(`connected to ${address} as ${this.#config.botName}`);
    }
    const request = this.#session.reply(frame);
    if (request !== undefined && !call.writableEnded) call.write(request);
    if (frame.closing) return { kind: "closed", closing: frame.closing };
    const target = frame.redirect ?? frame.moved;
    return target ? { kind: "elsewhere", address: target.address } : undefined;
  }

  /** What the end of a stream means for the process: an exit status, or nothing to go on. */
  #exitCode(end: End): number | undefined {
    switch (end.kind) {
      case "stopped":
        return DONE;
      case "elsewhere":
        log(`sent to ${end.address}`);
        if (this.#route.redirected(end.address)) return undefined;
        log("gave up: more than five redirects in a row, referees go in a circle");
        return REFUSED;
      case "closed": {
        const { code, text, retry } = end.closing;
        log(`closed by the referee: ${text} (code ${code})`);
        if (retry) return this.#isGone() ? REFEREE_GONE : undefined;
        return IN_ORDER.has(code) ? DONE : REFUSED;
      }
      case "refused":
        log(`refused by the referee: ${end.text}`);
        return REFUSED;
      case "superseded":
        log(`another process took over: ${end.text}`);
        return DONE;
      case "lost":
        log(`link lost: ${end.text}`);
        return this.#isGone() ? REFEREE_GONE : undefined;
    }
  }

  /** True where no referee welcomed us for too long. */
  #isGone(): boolean {
    const silentMs = performance.now() - this.#lastWelcome;
    if (silentMs < this.#config.giveUpMs) return false;
    log(`gave up: the referee is gone for ${Math.round(silentMs / 1000)} s`);
    return true;
  }

  async #pause(livedMs: number): Promise<void> {
    const ms = this.#route.failed(livedMs);
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}

/** Half-closes, and does not wait for ever for the other side to agree. */
function finish(call: Link["call"], withinMs: number): void {
  call.end();
  const timer = setTimeout(() => call.cancel(), withinMs);
  call.once("status", () => clearTimeout(timer));
}

async function main(): Promise<number> {
  try {
    const config = readConfig(process.env, process.argv.slice(2));
    if (config === "help") {
      process.stdout.write(USAGE);
      return DONE;
    }
    const bot = new Bot(config);
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.once(signal, () => bot.stop(signal));
    return await bot.run();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log(error.message);
    return WRONG_SETTINGS;
  }
}

process.exitCode = await main();
