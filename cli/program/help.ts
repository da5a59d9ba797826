/** What stands at the end of a command's help. */
import type { Command } from "../plugin-api/command.js";
import { exitMeanings } from "../plugin-api/exit.js";

/** Examples and exit codes, as lines. */
export function epilogueOf({ examples, exits = {} }: Command): string {
  const width = Math.max(...examples.map(({ command }) => command.length));
  const codes = Object.entries({ 0: exitMeanings[0], ...exits });
  return [
    "",
    "Examples:",
    ...examples.map(({ command, does }) => `  ${command.padEnd(width)}  # ${does}`),
    "",
    "Exit codes:",
    ...codes.map(([code, meaning]) => `  ${code.padStart(2)}  ${meaning}`),
  ].join("\n");
}
