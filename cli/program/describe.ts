/** All commands with everything that is known of them, for what is generated from them. */
import type { Command, CommandEntry } from "../plugin-api/command.js";
import { isGroup } from "./parser.js";

export interface CommandDescription {
  /** `["schema", "export"]`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** Absent for a group and for a command of a declared plugin. */
  readonly command?: Command;
  /** The plugin that brings it. */
  readonly plugin?: string;
  /** Names and summaries of what a group holds; empty for a command. */
  readonly entries: ReadonlyArray<Pick<CommandEntry, "name" | "summary">>;
}

/** Groups before what they hold, otherwise in order. */
export async function describeAll(
  entries: readonly CommandEntry[],
  above: readonly string[] = [],
): Promise<readonly CommandDescription[]> {
  const described = await Promise.all(
    entries.map(async (entry): Promise<readonly CommandDescription[]> => {
      const path = [...above, entry.name];
      const { summary } = entry;
      if (!isGroup(entry)) {
        // No code of a declared plugin runs for help and completion.
        const command = entry.isDeclared ? undefined : (await entry.load()).command;
        const { plugin } = entry;
        const from = plugin === undefined ? {} : { plugin };
        return [{ path, summary, ...(command && { command }), ...from, entries: [] }];
      }
      const inner = await describeAll(entry.entries, path);
      return [{ path, summary, entries: entry.entries }, ...inner];
    }),
  );
  return described.flat();
}
