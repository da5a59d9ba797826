/** The words of a command line as the parser is to see them. */
import type { CommandEntry } from "../plugin-api/command.js";
import { isGroup } from "./parser.js";

/**
 * `reeve help fmt` is `reeve fmt --help`, and no words at all ask for help. Help about a command that does not exist is
 * no help: the parser is given the name alone, and complains.
 */
export function wordsFor(
  args: readonly string[],
  entries: readonly CommandEntry[],
): readonly string[] {
  const [first, ...rest] = args;
  if (first === undefined || first === "--") return ["--help"];
  if (first === "help") return isKnown(rest, entries) ? [...rest, "--help"] : rest;
  return isKnown(args, entries) ? args : args.filter((word) => word !== "--help" && word !== "-h");
}

/** Whether the words that stand before any option begin with a command; none at all are fine. */
function isKnown([first, ...rest]: readonly string[], entries: readonly CommandEntry[]): boolean {
  if (first === undefined || first.startsWith("-")) return true;
  const entry = entries.find(({ name }) => name === first);
  return entry !== undefined && (!isGroup(entry) || isKnown(rest, entry.entries));
}
