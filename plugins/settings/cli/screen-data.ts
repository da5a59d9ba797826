/** What the screen shows: settings of each block, and the lines of files that have findings. */
import { readFile, stat } from "node:fs/promises";
import type { Control } from "reeve/cli";
import type { PushTarget, SettingsSnapshot, VersionView } from "../offline.js";
import { versionsOf } from "./requests.js";

/** One `settings` block. */
export interface SettingsView extends SettingsSnapshot {
  readonly servers: readonly PushTarget[];
  /** The last change since the daemon started. */
  readonly last: VersionView | undefined;
  /** Lines with findings, by path and line number joined with a colon. */
  readonly lines: ReadonlyMap<string, string>;
}

type SettingsWithServers = SettingsSnapshot & { readonly servers?: readonly PushTarget[] };

/** Files that are read, and bytes of the largest. */
const MOST = { files: 50, bytes: 1024 * 1024 } as const;

/** Reuses what has not changed from `known`. None where the plugin does not run. */
export async function loadSettings(
  control: Control,
  known: readonly SettingsView[] = [],
): Promise<readonly SettingsView[]> {
  const body = await control.find<{ readonly settings: readonly SettingsWithServers[] }>("");
  return Promise.all(
    (body?.settings ?? []).map(async (snapshot): Promise<SettingsView> => {
      const { name, version, servers = [] } = snapshot;
      const before = known.find((each) => each.name === name);
      const isSame = before?.version === version && before.changedAt === snapshot.changedAt;
      const last = isSame ? before.last : (await versionsOf(control, name)).at(-1);
      return { ...snapshot, servers, last, lines: await linesOf(snapshot) };
    }),
  );
}

async function linesOf({ files }: SettingsSnapshot): Promise<ReadonlyMap<string, string>> {
  const lines = new Map<string, string>();
  const wrong = files.filter(({ findings }) => findings.some(({ line }) => line !== undefined));
  for (const { path, findings } of wrong.slice(0, MOST.files)) {
    const text = await textOf(path);
    for (const { line } of findings) {
      const own = line === undefined ? undefined : text[line - 1];
      if (own !== undefined) lines.set(`${path}:${line}`, own);
    }
  }
  return lines;
}

/** None where the file is too large or unreadable: the finding is then shown without a caret. */
async function textOf(path: string): Promise<readonly string[]> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MOST.bytes) return [];
    return (await readFile(path, "utf8")).split(/\r?\n/);
  } catch {
    return [];
  }
}
