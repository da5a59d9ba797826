/** Refreshes a package-lock.json with npm's own library. Runs in a worker thread, since it blocks for long. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { Arborist, type Tree } from "@npmcli/arborist";
import semver from "semver";
import { UpdatesError } from "../../../errors.js";
import { restyleJson } from "../../../text/restyle.js";
import type { PackageLockJob, RefreshedLock } from "../contract.js";
import { registryOptions } from "./options.js";

const { version: ARBORIST } = createRequire(import.meta.url)("@npmcli/arborist/package.json") as {
  version: string;
};

interface PackageLock {
  readonly lockfileVersion?: number;
  readonly packages?: Record<string, Record<string, Record<string, string> | undefined>>;
}

/** @throws UpdatesError `does_not_resolve`, `lock_failed` */
export async function refreshPackageLock(job: PackageLockJob): Promise<RefreshedLock> {
  const before = await readFile(join(job.directory, job.file), "utf8");
  const lock = JSON.parse(before.replace(/^\uFEFF/, "")) as PackageLock;
  const tree = await resolved(job, {
    lockfileVersion: lock.lockfileVersion ?? 1,
    omitLockfileRegistryResolved: !/"resolved":\s*"https?:/.test(before),
  });
  assertMoved(tree, job);
  if (!job.legacyPeers) assertPeers(tree, job);
  const after = restored(tree.meta.toString(), job);
  return { text: restyleJson(before, after), by: `arborist ${ARBORIST}` };
}

async function resolved(job: PackageLockJob, options: Record<string, unknown>): Promise<Tree> {
  const arborist = new Arborist({
    ...options,
    ...registryOptions(job),
    path: job.directory,
    cache: job.cache,
    preferOnline: true,
    legacyPeerDeps: job.legacyPeers,
    ignoreScripts: true,
    audit: false,
    fund: false,
    fetchRetries: 1,
    fetchTimeout: 20_000,
  });
  const names = job.indirect.map(({ name }) => name);
  try {
    return await arborist.buildIdealTree(names.length > 0 ? { update: { names } } : {});
  } catch (cause) {
    throw readable(cause as Error & { code?: string });
  }
}

const unresolvable: ReadonlySet<string> = new Set([
  "ERESOLVE",
  "ETARGET",
  "EBADENGINE",
  "EBADPLATFORM",
  "EOVERRIDE",
]);

function readable(cause: Error & { code?: string }): UpdatesError {
  const [first = cause.name] = cause.message.split("\n");
  return cause.code !== undefined && unresolvable.has(cause.code)
    ? new UpdatesError("does_not_resolve", `npm cannot resolve the versions: ${first}`, { cause })
    : new UpdatesError("lock_failed", `npm cannot refresh the lock file: ${first}`, { cause });
}

function assertMoved(tree: Tree, { requirements, indirect }: PackageLockJob): void {
  for (const { member, declaredAs, version } of requirements) {
    const found = nearest(tree, member, declaredAs)?.version;
    if (found !== version)
      throw new UpdatesError(
        "does_not_resolve",
        `npm takes ${declaredAs} ${found ?? "out"} where ${version} was wanted.`,
      );
  }
  for (const { name, atLeast } of indirect) {
    const old = [...tree.inventory.values()].find(
      ({ packageName, version, isLink }) =>
        packageName === name && !isLink && semver.lt(version, atLeast),
    );
    if (old)
      throw new UpdatesError(
        "does_not_resolve",
        `What depends on ${name} does not allow ${atLeast}: ${old.version} stays in ${old.location}.`,
      );
  }
}

/** npm only warns about conflicts with installed peers; an older version may have none. */
function assertPeers(tree: Tree, { requirements }: PackageLockJob): void {
  const moved = new Set(requirements.map(({ declaredAs }) => declaredAs));
  for (const node of tree.inventory.values())
    for (const { name, peer, error, spec, to } of node.edgesOut.values())
      if (peer && error === "INVALID" && (moved.has(name) || moved.has(node.name)))
        throw new UpdatesError(
          "does_not_resolve",
          `${node.name} ${node.version} wants ${name} ${spec} beside it, not ${to?.version}.`,
        );
}

/** The package that a member resolves `name` to, by Node's rules. */
function nearest(tree: Tree, member: string, name: string) {
  for (let at = member; ; at = posix.dirname(at) === "." ? "" : posix.dirname(at)) {
    const node = tree.inventory.get(posix.join(at, "node_modules", name));
    if (node || at === "") return node;
  }
}

/** Replaces the exact versions of the job by the manifests' requirements. */
function restored(text: string, { requirements }: PackageLockJob): PackageLock {
  const lock = JSON.parse(text) as PackageLock;
  for (const { member, section, declaredAs, requirement } of requirements) {
    const members = lock.packages?.[member]?.[section];
    if (members?.[declaredAs] !== undefined) members[declaredAs] = requirement;
  }
  return lock;
}
