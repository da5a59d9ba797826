/** New requirements into the manifests, then each lock file by what understands it. */
import { posix } from "node:path";
import { jsonEscaped } from "../../text/json.js";
import { plainScalar } from "../../text/yaml.js";
import type {
  LockOutcome,
  ProjectSources,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { type Encode, editManifests } from "../edit.js";
import { within } from "../paths.js";
import { lockNames } from "./locked.js";
import { refreshPackageLockFile } from "./refresh-package-lock.js";
import { refreshPnpm } from "./refresh-pnpm.js";
import { refreshYarnBerry } from "./refresh-yarn-berry.js";
import { refreshYarnClassic } from "./refresh-yarn-classic.js";
import type { LockRefresh, Refreshed } from "./refreshing.js";
import { atLock, lockedAbove } from "./workspaces.js";
import { isBerry } from "./yarn-lock.js";

export async function npmUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { changes } = request;
  const sources = atLock(request.sources, lockNames);
  const rooted = { ...request, sources };
  const manifests = editManifests(sources.files, changes, encode);
  const files = new Map([...sources.files, ...manifests]);
  const pins = editManifests(sources.files, changes.map(exact), encode);
  const pinned = new Map([...files, ...pins]);
  const locks = lockNames
    .map((name) => within(sources.directory, name))
    .filter((file) => files.has(file));

  const outcomes: Refreshed[] = [];
  for (const file of locks)
    outcomes.push(await refresh({ request: rooted, tools, file, files, pinned }));
  return {
    files: new Map([...manifests, ...outcomes.flatMap((outcome) => [...outcome.files])]),
    submodules: new Map(),
    lock: together(outcomes.map(({ lock }) => lock)) ?? lockAbove(sources),
  };
}

const encode: Encode = (value, { extra }) => {
  if (extra?.written === "json") return jsonEscaped(value);
  return extra?.written === "yaml" ? plainScalar(value) : value;
};

/** The same change, with the version itself in each place. */
const exact = (change: VersionChange): VersionChange => ({
  ...change,
  requirements: change.dependency.declarations.map(() => change.to.version),
});

function refresh(refreshing: LockRefresh): Promise<Refreshed> {
  const name = posix.basename(refreshing.file);
  if (name === "package-lock.json" || name === "npm-shrinkwrap.json")
    return refreshPackageLockFile(refreshing);
  const text = refreshing.files.get(refreshing.file) ?? "";
  if (name === "yarn.lock" && !isBerry(text)) return refreshYarnClassic(refreshing);
  if (name === "yarn.lock") return refreshYarnBerry(refreshing);
  return refreshPnpm(refreshing);
}

/** One stale lock file makes the whole update stale. */
function together(outcomes: readonly LockOutcome[]): LockOutcome | undefined {
  return outcomes.find(({ kind }) => kind === "stale") ?? outcomes[0];
}

/** Locked further up, by a workspace that does not name this directory, or by nobody any more. */
function lockAbove(sources: ProjectSources): LockOutcome {
  const above = lockedAbove(sources, lockNames);
  const lock = sources.tree.find(
    ({ path }) => above !== undefined && lockNames.some((name) => path === within(above, name)),
  );
  if (!lock) return { kind: "absent" };
  const note = `${lock.path} may lock this directory and is not refreshed: configure the directory it is in.`;
  return { kind: "stale", note };
}
