/** Settings as the daemon tells of them, with the lines of their files that something is wrong with. */
import { readFile, stat } from "node:fs/promises";
import type {
  PushTarget,
  SettingsSnapshot,
  VersionView,
} from "../../../plugins/settings/offline.js";
import type { Control } from "../../control/client.js";
import { ControlError } from "../../control/problem.js";
import type { SettingsView } from "./model.js";

type SettingsWithServers = SettingsSnapshot & { readonly servers?: readonly PushTarget[] };

/** Files that are looked into, and bytes of the largest. */
const MOST = { files: 50, bytes: 1024 * 1024 } as const;

/** What has not changed is taken over from `known`. None where the plugin does not run. */
export async function settingsOf(
  control: Control,
  known: readonly SettingsView[],
): Promise<readonly SettingsView[]> {
  const { settings } = await control
    .get<{ readonly settings: readonly SettingsWithServers[] }>("/v1/settings")
    .catch((thrown: unknown) => {
      if (thrown instanceof ControlError && thrown.problem.status === 404) return { settings: [] };
      throw thrown;
    });
  return Promise.all(
    settings.map(async (snapshot): Promise<SettingsView> => {
      const { name, version, servers = [] } = snapshot;
      const before = known.find((each) => each.name === name);
      const isSame = before?.version === version && before.changedAt === snapshot.changedAt;
      const last = isSame ? before.last : await lastOf(control, name);
      return { ...snapshot, servers, last, lines: await linesOf(snapshot) };
    }),
  );
}

async function lastOf(control: Control, name: string): Promise<VersionView | undefined> {
  const path = `/v1/settings/${encodeURIComponent(name)}/versions`;
  const { versions } = await control.get<{ readonly versions: readonly VersionView[] }>(path);
  return versions.at(-1);
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

/** None where the file is too large or cannot be read from here: then there are words without a caret. */
async function textOf(path: string): Promise<readonly string[]> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MOST.bytes) return [];
    return (await readFile(path, "utf8")).split(/\r?\n/);
  } catch {
    return [];
  }
}
