/** Says what became of a command's changes to files. */
import type { CommittedChanges } from "../engine/changes.js";
import type { Messages } from "./messages.js";

/** What the command wrote that the host does not have as it was written. */
export function reportCommit(
  messages: Messages,
  { held, moved, problems }: CommittedChanges,
  isDenied: boolean,
): void {
  const option = isDenied ? " or --deny-write names it" : "";
  if (held.length > 0)
    messages.warn(
      `Not kept, since programs run or trust it later${option}: ${listed(held)}. To keep a file, name it with --allow-write`,
    );
  if (moved.length > 0) {
    const shown = listed(moved.map(({ path, note }) => `${path} (${note})`));
    messages.warn(
      `Moved aside, since git would run it${option}: ${shown}. To use it, check it and rename it back; --allow-write PATH allows an existing path`,
    );
  }
  if (problems.length > 0) messages.warn(`Changes that need a look: ${listed(problems)}`);
}

export function listed(items: readonly string[]): string {
  const more = items.length > 8 ? ` and ${items.length - 8} more` : "";
  return `${items.slice(0, 8).map(printable).join(", ")}${more}`;
}

/** A name may contain anything. */
export const printable = (text: string): string => text.replace(/[^\x20-\x7e\xa1-\ud7ff]/g, "?");

/** To the minute. */
export const utc = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
