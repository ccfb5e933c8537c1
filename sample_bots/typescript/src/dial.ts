// Where and how to dial: environment, addresses in their order, credentials.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  type ClientDuplexStream,
  type ClientOptions,
  Metadata,
  credentials,
  loadPackageDefinition,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtoGrpcType } from "./_gen/referee.js";
import type { PlayRequest } from "./_gen/tichu/referee/v1/PlayRequest.js";
import type { PlayResponse__Output } from "./_gen/tichu/referee/v1/PlayResponse.js";

/** A mistake of whoever started the bot; its text says what to do. */
export class ConfigError extends Error {}

export interface Config {
  /** Addresses to try in order: "unix:/path" or "host:port". */
  readonly servers: readonly string[];
  /** Bearer token; absent with an open identity on loopback. */
  readonly token: string | undefined;
  /** The authority to trust, in PEM form; TLS is used if and only if it is set. */
  readonly ca: Buffer | undefined;
  /** True: secrets may leave this machine without TLS. */
  readonly plaintext: boolean;
  readonly botName: string;
  readonly maxMatches: number;
  /** How long to look for a referee that does not answer, milliseconds. */
  readonly giveUpMs: number;
}

const DEFAULT_NAME = "greedy-typescript";
const LONGEST_NAME = 64;
export const USAGE = `usage: TICHU_SERVER=ADDRESS node dist/main.js [--plaintext] [--matches N] [--give-up SECONDS]

  TICHU_SERVER    unix:/path or host:port; a comma list is tried in order
  TICHU_TOKEN     who the bot is
  TICHU_CA_FILE   PEM file of the authority that signs the referee's certificate; turns TLS on
  TICHU_BOT_NAME  name for display
  --plaintext     lets the token travel unencrypted to another machine
  --matches       how many are played at once, 1 to 512 (64)
  --give-up       how long to look for a referee that does not answer (60)

Exit status: 0 in order, 1 a bug, 2 settings, 3 the referee is gone, 4 it refused this process.
`;

/** Reads the environment and the command line; "help" where that is asked for. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv, argv: readonly string[]): Config | "help" {
  const { help, plaintext, matches, "give-up": giveUp } = parseFlags(argv);
  if (help) return "help";
  const servers = (env["TICHU_SERVER"] ?? "").split(",").map((part) => part.trim()).filter(Boolean);
  if (servers.length === 0)
    throw new ConfigError("TICHU_SERVER is not set: unix:/path or host:port, or a comma list");
  for (const server of servers)
    if (!isAddress(server)) throw new ConfigError(`TICHU_SERVER ${server}: no unix:/path or host:port`);
  const token = env["TICHU_TOKEN"] || undefined;
  if (token !== undefined && !/^[ -~]*$/.test(token))
    throw new ConfigError("TICHU_TOKEN holds a character that no token has: set it anew");
  const caFile = env["TICHU_CA_FILE"] || undefined;
  return {
    servers,
    token,
    ca: caFile === undefined ? undefined : readCa(caFile),
    plaintext,
    botName: [...(env["TICHU_BOT_NAME"] || DEFAULT_NAME)].slice(0, LONGEST_NAME).join(""),
    maxMatches: wholeNumber("--matches", matches, 1, 512),
    giveUpMs: wholeNumber("--give-up", giveUp, 1, 86_400) * 1000,
  };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        help: { type: "boolean", short: "h", default: false },
        plaintext: { type: "boolean", default: false },
        matches: { type: "string", default: "64" },
        // A referee that restarts has its bots back within 30 s; twice that is for good.
        "give-up": { type: "string", default: "60" },
      },
    }).values;
  } catch (error) {
    throw new ConfigError(
      `${(error as Error).message}; flags: --plaintext, --matches N, --give-up SECONDS, --help`,
    );
  }
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < least || value > most)
    throw new ConfigError(`${flag} ${text}: a whole number from ${least} to ${most} is needed`);
  return value;
}

function isAddress(text: string): boolean {
  if (text.startsWith("unix:")) return /[^/]/.test(text.slice("unix:".length));
  const port = /^(?:\[[0-9a-f:.%]+\]|[^\s:/[\]]+):(\d{1,5})$/i.exec(text)?.[1];
  return port !== undefined && Number(port) > 0 && Number(port) < 65_536;
}

/** True if what is sent to the address stays on this machine. */
export function isLocal(address: string): boolean {
  if (address.startsWith("unix:")) return true;
  const host = address.replace(/:\d+$/, "");
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
// A link that lived that long was a good one: the next pause is the first again.
const GOOD_LINK_MS = 5_000;
const MOST_REDIRECTS = 5;

/** Decides which address is dialled next, and after which pause. */
export class Route {
  readonly #servers: readonly string[];
  #queue: string[];
  #last: string | undefined;
  #redirects = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(servers: readonly string[]) {
    this.#servers = servers;
    this.#queue = [...servers];
  }

  /** The next address; after the last one the list begins again, the last good one first. */
  next(): string {
    if (this.#queue.length === 0)
      this.#queue = [...new Set([...(this.#last ? [this.#last] : []), ...this.#servers])];
    return this.#queue.shift() as string;
  }

  welcomed(address: string): void {
    this.#last = address;
    this.#queue = [];
    this.#redirects = 0;
  }

  /** Dials the address named next; false after five in a row, which leads nowhere. */
  redirected(address: string): boolean {
    this.#redirects += 1;
    this.#queue.unshift(address);
    return this.#redirects <= MOST_REDIRECTS;
  }

  /** Pause before the next dial, milliseconds: none while addresses are untried. */
  failed(livedMs: number): number {
    this.#redirects = 0;
    if (livedMs >= GOOD_LINK_MS) this.#pauseMs = FIRST_PAUSE_MS;
    if (this.#queue.length > 0) return 0;
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pause, LONGEST_PAUSE_MS);
    return pause;
  }
}

export type PlayCall = ClientDuplexStream<PlayRequest, PlayResponse__Output>;

export interface Link {
  readonly call: PlayCall;
  close(): void;
}

// Enums as numbers (an unknown one stays a number), "which is set" of each oneof,
// and defaults, so that lists are never absent; optional fields stay absent.
const definition = loadSync("tichu/referee/v1/referee.proto", {
  includeDirs: [join(dirname(fileURLToPath(import.meta.url)), "proto")],
  defaults: true,
  oneofs: true,
});
const contract = loadPackageDefinition(definition) as unknown as ProtoGrpcType;
export const { RefereeService } = contract.tichu.referee.v1;

const CHANNEL: ClientOptions = {
  // Pauses are ours: no retries and no shared connection state from an earlier try.
  "grpc.enable_retries": 0,
  "grpc.use_local_subchannel_pool": 1,
  // Bots dial referees, not web sites: a proxy in the environment is not meant.
  "grpc.enable_http_proxy": 0,
};

/** Opens a stream; throws ConfigError where a secret would leave the machine in the clear. */
export function openLink(address: string, config: Config, sessionToken?: string): Link {
  const secure = config.ca !== undefined && !address.startsWith("unix:");
  const secret = config.token ?? sessionToken;
  if (secret !== undefined && !secure && !isLocal(address) && !config.plaintext)
    throw new ConfigError(
      `${address} is not on this machine and the token would travel in the clear: ` +
        "set TICHU_CA_FILE for TLS, or say --plaintext",
    );
  const client = new RefereeService(
    address,
    secure ? credentials.createSsl(config.ca) : credentials.createInsecure(),
    CHANNEL,
  );
  const metadata = new Metadata();
  if (config.token !== undefined) metadata.set("authorization", `Bearer ${config.token}`);
  return { call: client.Play(metadata), close: () => client.close() };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readCa(file: string): Buffer {
  const wrong = (why: string) => new ConfigError(`TICHU_CA_FILE ${file}: ${why}`);
  let pem: Buffer;
  try {
    pem = readFileSync(file);
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const found = pem.toString("latin1").match(CERTIFICATE);
  if (found === null) throw wrong("holds no certificate in PEM form");
  try {
    for (const certificate of found) new X509Certificate(certificate);
  } catch {
    throw wrong("holds a certificate that cannot be read");
  }
  return pem;
}
