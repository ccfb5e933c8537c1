// A reader that went away must not take the bot with it.
process.stderr.on("error", () => {});

/** Writes one event as one JSON line to stderr. */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`);
}
