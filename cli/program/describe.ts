/** All commands with everything that is known of them, for what is generated from them. */
import type { Command, Entry } from "../command.js";
import { isGroup } from "./parser.js";

export interface Described {
  /** `["schema", "export"]`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** Absent for a group. */
  readonly command?: Command;
  /** Names and summaries of what a group holds; empty for a command. */
  readonly entries: ReadonlyArray<Pick<Entry, "name" | "summary">>;
}

/** Groups before what they hold, otherwise in order. */
export async function describeAll(
  entries: readonly Entry[],
  above: readonly string[] = [],
): Promise<readonly Described[]> {
  const described = await Promise.all(
    entries.map(async (entry): Promise<readonly Described[]> => {
      const path = [...above, entry.name];
      const { summary } = entry;
      if (!isGroup(entry)) {
        return [{ path, summary, command: (await entry.load()).command, entries: [] }];
      }
      const inner = await describeAll(entry.entries, path);
      return [{ path, summary, entries: entry.entries }, ...inner];
    }),
  );
  return described.flat();
}
