// A reader that went away must not take the bot with it.
process.stderr.on("error", () => {});

/** Writes one line to stderr; what others wrote into it cannot break out of it. */
export function log(line: string): void {
  process.stderr.write(`${line.replace(/[^\P{C} ]/gu, "?")}\n`);
}
