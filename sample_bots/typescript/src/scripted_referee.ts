// A real gRPC server for the tests, which say what it sends and see what it gets.
import { on, once } from "node:events";
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type StatusObject,
} from "@grpc/grpc-js";
import type { PlayRequest__Output } from "./_gen/tichu/referee/v1/PlayRequest.js";
import type { PlayResponse } from "./_gen/tichu/referee/v1/PlayResponse.js";
import type { Welcome } from "./_gen/tichu/referee/v1/Welcome.js";
import { RefereeService } from "./dial.js";

type Call = ServerDuplexStream<PlayRequest__Output, PlayResponse | Buffer>;

/** One stream of a bot, as the referee has it. */
export class Stream {
  readonly #call: Call;
  readonly #frames: AsyncIterator<unknown>;

  constructor(call: Call) {
    this.#call = call;
    this.#frames = on(call, "data", { close: ["end"] })[Symbol.asyncIterator]();
    call.on("error", () => {}); // a bot that goes away is no fault of the test
  }

  get metadata(): Metadata {
    return this.#call.metadata;
  }

  /** The next frame of the bot, or "end" when it half-closed. */
  async next(): Promise<PlayRequest__Output | "end"> {
    const { done, value } = await this.#frames.next();
    return done ? "end" : (value as [PlayRequest__Output])[0];
  }

  async nextFrame(): Promise<PlayRequest__Output> {
    const frame = await this.next();
    if (frame === "end") throw new Error("the bot half-closed instead of sending a frame");
    return frame;
  }

  /** Sends a frame; bytes go out as they are, for frames of a later protocol. */
  send(frame: PlayResponse | Buffer): void {
    this.#call.write(frame);
  }

  /** Reads the Hello and accepts it. */
  async welcome(welcome: Welcome = {}): Promise<PlayRequest__Output> {
    const frame = await this.nextFrame();
    const usual: Welcome = { sessionToken: "session", protocolVersion: 1, graceMs: 10_000 };
    this.send({ welcome: { ...usual, ...welcome } });
    return frame;
  }

  /** Ends the stream, with OK or with a status. */
  end(failure?: Partial<StatusObject>): void {
    if (failure) this.#call.emit("error", failure);
    else this.#call.end();
  }
}

export class ScriptedReferee {
  readonly #server = new Server();
  readonly #waiting: Stream[] = [];
  readonly #arrivals = new EventTarget();

  private constructor() {
    const { Play } = RefereeService.service;
    const definition = {
      Play: {
        ...Play,
        responseSerialize: (frame: PlayResponse | Buffer) =>
          Buffer.isBuffer(frame) ? frame : Play.responseSerialize(frame),
      },
    };
    this.#server.addService(definition, {
      Play: (call: Call) => {
        this.#waiting.push(new Stream(call));
        this.#arrivals.dispatchEvent(new Event("stream"));
      },
    });
  }

  /** Listens on "127.0.0.1:0" or "unix:/path"; returns the referee and its address. */
  static async listen(where = "127.0.0.1:0") {
    const referee = new ScriptedReferee();
    const port = await new Promise<number>((resolve, reject) => {
      referee.#server.bindAsync(where, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    return { referee, address: where.startsWith("unix:") ? where : `127.0.0.1:${port}` };
  }

  /** The next stream that a bot opens. */
  async stream(): Promise<Stream> {
    while (this.#waiting.length === 0) await once(this.#arrivals, "stream");
    return this.#waiting.shift() as Stream;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
