// The process: dials, plays until the referee or a signal ends it, comes back
// after a lost link. Exit codes: 0 done, 1 refused or referee gone, 2 wrong use.
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
  isRemoved,
  openLink,
  readConfig,
} from "./dial.js";
import { log } from "./log.js";
import { Session } from "./session.js";

/** How a stream ended. */
type End =
  | { readonly kind: "stopped" }
  | { readonly kind: "elsewhere"; readonly address: string }
  | { readonly kind: "closed"; readonly closing: Closing__Output }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "lost"; readonly text: string };

// Trying again would end the same way.
const FINAL: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.FAILED_PRECONDITION,
  status.UNIMPLEMENTED,
  status.ABORTED,
]);

const FIRST_FRAME_WITHIN_MS = 10_000;
const LAST_STATUS_WITHIN_MS = 2_000;

class Bot {
  readonly #config: Config;
  readonly #session: Session;
  readonly #route: Route;
  readonly #stop = new AbortController();
  #link: Link | undefined;
  /** True: the referee that we knew did not say that it will come back. */
  #mayBeGone = false;
  #lastContact = performance.now();

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
    finish(call);
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
    return 0;
  }

  /** Lives through one stream. */
  async #play(address: string): Promise<End> {
    const link = openLink(address, this.#config, this.#session.token);
    this.#link = link;
    try {
      return await this.#converse(link.call, address);
    } finally {
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
        finish(call);
        // The clock of open asks runs: do not wait for this stream's last word.
        if (end.kind === "elsewhere") resolve(end);
      });
      call.on("error", () => {}); // the status that follows says the same
      call.on("status", ({ code, details }) => {
        clearTimeout(patience);
        const text = `${status[code]} ${details}`.trim();
        if (this.#stop.signal.aborted) resolve({ kind: "stopped" });
        else if (end !== undefined) resolve(end);
        else resolve({ kind: FINAL.has(code) ? "refused" : "lost", text: `${address}: ${text}` });
      });
      call.write(this.#session.hello());
    });
  }

  /** Answers one frame; returns how the stream ends if the frame says so. */
  #frame(call: Link["call"], frame: PlayResponse__Output, address: string): End | undefined {
    if (frame.welcome) {
      this.#mayBeGone = true;
      this.#route.welcomed(address);
    }
    const request = this.#session.reply(frame);
    if (request !== undefined && !call.writableEnded) call.write(request);
    this.#lastContact = performance.now();
    if (frame.closing) return { kind: "closed", closing: frame.closing };
    const target = frame.redirect ?? frame.moved;
    return target ? { kind: "elsewhere", address: target.address } : undefined;
  }

  /** What the end of a stream means for the process: an exit code, or nothing to go on. */
  #exitCode(end: End): number | undefined {
    switch (end.kind) {
      case "stopped":
        log("stopped");
        return 0;
      case "elsewhere":
        log("redirected", { address: end.address });
        if (this.#route.redirected(end.address)) return undefined;
        log("gave_up", { text: "more than five redirects in a row: referees go in a circle" });
        return 1;
      case "closed": {
        const { code, text, retry } = end.closing;
        log("closing", { code, text, retry });
        this.#mayBeGone = false;
        if (retry) return undefined;
        return code === ClosingCode.CLOSING_CODE_DRAINING ? 0 : 1;
      }
      case "refused":
        log("refused_by_referee", { text: end.text });
        return 1;
      case "lost":
        log("link_lost", { text: end.text });
        return this.#isGone() ? 1 : undefined;
    }
  }

  /** A referee that we knew and whose sockets are removed, or that is silent for too long. */
  #isGone(): boolean {
    const removed = this.#mayBeGone && this.#config.servers.every(isRemoved);
    const silentMs = performance.now() - this.#lastContact;
    if (!removed && silentMs < this.#config.giveUpMs) return false;
    log("gave_up", { text: "the referee is gone", silent_ms: Math.round(silentMs) });
    return true;
  }

  async #pause(livedMs: number): Promise<void> {
    const ms = this.#route.failed(livedMs);
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}

/** Half-closes, and does not wait for ever for the other side to agree. */
function finish(call: Link["call"]): void {
  call.end();
  const timer = setTimeout(() => call.cancel(), LAST_STATUS_WITHIN_MS);
  call.once("status", () => clearTimeout(timer));
}

async function main(): Promise<number> {
  try {
    const bot = new Bot(readConfig(process.env, process.argv.slice(2)));
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.once(signal, () => bot.stop(signal));
    return await bot.run();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

process.exitCode = await main();
