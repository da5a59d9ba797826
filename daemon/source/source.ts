/** Puts the parts of a source together. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { linesOf } from "../../grammar/index.js";
import { load } from "../config/load.js";
import type { HostProbe, PluginCatalog } from "../config/program.js";
import type { ReloadOutcome } from "../reload/contract.js";
import type { DaemonServices } from "../services/contract.js";
import { CommitDirectories, commitOf } from "./commits.js";
import type { SourceActions, SourceSettings } from "./contract.js";
import { SourceFollower } from "./follower.js";
import { Git } from "./git.js";
import { Mirror } from "./mirror.js";

export { commitOf };

export interface SourceParts {
  readonly settings: SourceSettings;
  /** Absolute, of the daemon alone. */
  readonly stateDirectory: string;
  readonly kit: DaemonServices;
  readonly catalog: PluginCatalog;
  readonly host: HostProbe | undefined;
  readonly reload: () => Promise<ReloadOutcome>;
}

/** Follows the repository from `prepare` on; `close` ends it and its git processes. */
export type ConfigurationSource = SourceActions &
  Pick<SourceFollower, "prepare" | "follow" | "close">;

/** The root file of the commit that runs; the same path for all commits. */
export const sourceRoot = (settings: SourceSettings, stateDirectory: string): string =>
  new CommitDirectories(directoryOf(settings, stateDirectory)).root;

export function createSource(parts: SourceParts): ConfigurationSource {
  const { settings, stateDirectory, kit, catalog, host, reload } = parts;
  const directory = directoryOf(settings, stateDirectory);
  const over = new AbortController();
  const git = new Git(join(stateDirectory, "git-source"), settings, over.signal);
  const token = async (): Promise<string | undefined> => {
    if (settings.tokenFile === undefined) return undefined;
    const content = (await readFile(settings.tokenFile, "utf8")).trim();
    kit.mask.add(content);
    return content;
  };
  const follower = new SourceFollower({
    settings,
    mirror: new Mirror(git, settings, token),
    commits: new CommitDirectories(directory),
    kit,
    check: (root) => firstFault(root, catalog, host),
    reload,
  });
  const { close } = follower;
  return Object.assign(follower, {
    close: () => {
      over.abort();
      return close.call(follower);
    },
  });
}

const directoryOf = ({ directory }: SourceSettings, stateDirectory: string): string =>
  directory ?? join(stateDirectory, "source");

/** What `reeve check` would refuse, in one sentence. What this machine lacks is left to the reload. */
async function firstFault(
  root: string,
  catalog: PluginCatalog,
  host: HostProbe | undefined,
): Promise<string | undefined> {
  const { diagnostics, sources, tests } = await load(root, {
    catalog,
    host: host && { ...host, lenient: true },
  });
  const [first, ...others] = diagnostics.filter(({ severity }) => severity === "error");
  if (first) {
    const { location, code, message } = first;
    const source = location && sources.get(location.file);
    const line = source && `:${linesOf(source).position(location.start).line}`;
    const where = location ? ` in ${location.file}${line ?? ""}` : "";
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    return `${code}${where}: ${message}${more}`;
  }
  const failed = tests.find(({ failures }) => failures.length > 0);
  return failed && `the test "${failed.name}" fails`;
}
