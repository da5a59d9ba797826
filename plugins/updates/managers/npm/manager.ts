/** npm, pnpm, Yarn and bun: package.json and the lock files beside it. */
import { posix } from "node:path";
import semver from "semver";
import { jsonEscaped } from "../../text/json.js";
import { plainScalar } from "../../text/yaml.js";
import { semverVersioning } from "../../versions/semver.js";
import type {
  LockOutcome,
  ParsedProject,
  ProjectSources,
  Release,
  Tools,
  UpdateRequest,
} from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { combineLocks, type Encode, editManifests } from "../edit.js";
import { exactChange, type LockEdit, refreshLock, staleLock } from "../lock/refresh.js";
import { within } from "../paths.js";
import { isBerry, lockNames } from "./lockfile/versions.js";
import { npmParse, npmWanted } from "./manifest/parse.js";
import { atLock, lockedAbove } from "./manifest/workspaces.js";
import { isPublished, npmAvailable, npmComparable, npmSource } from "./registry/packument.js";
import { refreshBun } from "./resolve/bun.js";
import { refreshPackageLockFile } from "./resolve/package-lock.js";
import { refreshPnpm } from "./resolve/pnpm.js";
import { refreshYarnBerry } from "./resolve/yarn-berry.js";
import { refreshYarnClassic } from "./resolve/yarn-classic.js";
import type { NpmLockChange } from "./tool/run.js";
import { npmRequirement } from "./versions.js";

export const npmAndYarn = defineManager({
  id: "npm_and_yarn",
  missing: "Repo must contain a package.json.",
  versioning: semverVersioning,
  filesToRead: npmWanted,
  parse: npmParse,
  available: npmAvailable,
  comparable: npmComparable,
  runs: runsOn,
  isLibrary: async ({ self }, lookup) => self !== undefined && isPublished(self, lookup),
  source: npmSource,
  requirement: ({ requirement }, { version }, strategy) =>
    npmRequirement(requirement, version, strategy),
  update: npmUpdate,
});

/** Something of the oldest major version of Node that the project supports must do for the release. */
function runsOn({ runtime }: Release, { node }: ParsedProject["runtime"]): boolean {
  const range = runtime?.node;
  if (node === undefined || range === undefined) return true;
  if (semver.validRange(node) === null || semver.validRange(range) === null) return true;
  const oldest = semver.minVersion(node)?.major;
  return oldest === undefined || oldest === 0 || semver.intersects(`${oldest}.x`, range);
}

async function npmUpdate(request: UpdateRequest, tools: Tools): Promise<PartialEdit> {
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

  const edits: LockEdit[] = [];
  for (const file of locks)
    edits.push(await refresh({ request: rooted, tools, file, files, pinned }));
  return {
    files: new Map([...manifests, ...edits.flatMap((edit) => [...edit.files])]),
    lock: edits.length > 0 ? combineLocks(edits.map(({ lock }) => lock)) : unreadLock(sources),
  };
}

const encode: Encode = (value, { extra }) => {
  if (extra?.written === "json") return jsonEscaped(value);
  return extra?.written === "yaml" ? plainScalar(value) : value;
};

const exact = exactChange((version) => version);

function refresh(change: NpmLockChange): Promise<LockEdit> {
  const { file, files } = change;
  const name = posix.basename(file);
  if (name === "pnpm-lock.yaml") {
    const advice = "pnpm install --lockfile-only";
    return refreshLock({ file, byTool: () => refreshPnpm(change), advice, strict: true });
  }
  if (name === "bun.lock") {
    const advice = "bun install --lockfile-only";
    return refreshLock({ file, byTool: () => refreshBun(change), advice, strict: true });
  }
  if (name !== "yarn.lock")
    return refreshLock({
      file,
      inProcess: () => refreshPackageLockFile(change),
      advice: "npm install",
    });
  if (!isBerry(files.get(file) ?? ""))
    return refreshLock({
      file,
      inProcess: () => refreshYarnClassic(change),
      advice: "yarn install",
    });
  const advice = "yarn install --mode=update-lockfile";
  return refreshLock({ file, byTool: () => refreshYarnBerry(change), advice, strict: true });
}

/** One in binary, or one of another directory. */
function unreadLock(sources: ProjectSources): LockOutcome {
  const file = within(sources.directory, "bun.lockb");
  return sources.tree.some(({ path }) => path === file)
    ? staleLock(file, "it is not text", "bun install --save-text-lockfile --lockfile-only")
    : lockAbove(sources);
}

/** A lock in a parent directory whose workspace does not include this directory, or an orphaned one. */
function lockAbove(sources: ProjectSources): LockOutcome {
  const above = lockedAbove(sources, lockNames);
  const lock = sources.tree.find(
    ({ path }) => above !== undefined && lockNames.some((name) => path === within(above, name)),
  );
  if (!lock) return { kind: "absent" };
  const note = `${lock.path} may lock this directory and is not refreshed: configure the directory it is in.`;
  return { kind: "stale", note };
}
