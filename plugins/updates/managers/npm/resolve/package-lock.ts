/** Refreshes package-lock.json and npm-shrinkwrap.json: at once if only the package moves, else by npm's library in a worker thread. */
import { mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { UpdatesError } from "../../../errors.js";
import type { Lookup } from "../../../registries/contract.js";
import type { ProjectSources, VersionChange } from "../../contract.js";
import type { LockRequirement, RefreshedLock } from "../../lock/contract.js";
import { inScratch } from "../../lock/scratch.js";
import { insideOf, relativeTo, within } from "../../paths.js";
import { movedInLock } from "../lockfile/package-lock.js";
import { type VersionDocument, versionDocument } from "../registry/packument.js";
import { registriesInUse } from "../registry/registries.js";
import { declaredSpec, type NpmLockChange } from "../tool/run.js";

/** Lock files up to this length are parsed in the main thread. */
const READ_AT_ONCE = 1_000_000;

export async function refreshPackageLockFile(change: NpmLockChange): Promise<RefreshedLock> {
  const text = await moved(change);
  return text === undefined ? resolved(change) : { text, by: "reeve" };
}

/** Undefined if other packages may have to move. */
async function moved({ request, tools, file }: NpmLockChange): Promise<string | undefined> {
  const { sources, changes } = request;
  const text = sources.files.get(file) ?? "";
  const isDeclared = changes.every(({ dependency: { name, declarations } }) =>
    declarations.every(({ extra }) => extra?.declaredAs === name),
  );
  if (text.length > READ_AT_ONCE || !isDeclared) return undefined;
  const documents = await documentsOf(changes, tools.lookup);
  if (!documents) return undefined;
  const manifests = [...sources.files]
    .filter(([path]) => posix.basename(path) === "package.json")
    .map(([path, manifest]) => [relativeTo(sources.directory, path), manifest] as const);
  return movedInLock(text, {
    requirements: changes.flatMap((change) => requirementsOf(change, sources.directory)),
    manifests: new Map(manifests),
    documents,
    legacyPeers: allowsPeerConflicts(sources),
  });
}

/** Documents by name; undefined if a registry does not serve single versions. */
async function documentsOf(
  changes: readonly VersionChange[],
  lookup: Lookup,
): Promise<ReadonlyMap<string, readonly [VersionDocument, VersionDocument]> | undefined> {
  try {
    const found = await Promise.all(
      changes.map(async ({ dependency: { name, origin, current }, to }) => {
        if (origin.kind !== "registry" || current === undefined) return undefined;
        const documents = await Promise.all([
          versionDocument(lookup, origin.url, name, current),
          versionDocument(lookup, origin.url, name, to.version),
        ]);
        return [name, documents] as const;
      }),
    );
    const known = found.filter((each) => each !== undefined);
    return known.length === changes.length ? new Map(known) : undefined;
  } catch (thrown) {
    if (thrown instanceof UpdatesError) return undefined;
    throw thrown;
  }
}

const allowsPeerConflicts = ({ directory, files }: ProjectSources): boolean =>
  /^\s*legacy-peer-deps\s*=\s*"?true/m.test(files.get(within(directory, ".npmrc")) ?? "");

async function resolved(change: NpmLockChange): Promise<RefreshedLock> {
  const { request, tools, file, pinned } = change;
  const { sources, changes } = request;
  const cache = join(tools.scratch, "npm-cache");
  await mkdir(cache, { recursive: true });
  const directory = insideOf(sources.directory);
  const needed = [...pinned].filter(
    ([path]) => path === file || posix.basename(path) === "package.json",
  );
  return inScratch({ scratch: tools.scratch }, new Map(needed), (root) =>
    tools.workers.refresh(
      {
        kind: "package_lock",
        directory: join(root, directory),
        file: posix.basename(file),
        requirements: changes.flatMap((change) => requirementsOf(change, sources.directory)),
        indirect: changes
          .filter(({ dependency }) => dependency.declarations.length === 0)
          .map(({ dependency, to }) => ({ name: dependency.name, atLeast: to.version })),
        registries: registriesInUse({ ...sources, files: change.files }, request.settings),
        credentials: tools.credentials,
        legacyPeers: allowsPeerConflicts(sources),
        cache,
      },
      tools.signal,
    ),
  );
}

function requirementsOf(
  { dependency, requirements, to }: VersionChange,
  directory: string,
): readonly LockRequirement[] {
  return dependency.declarations.flatMap((declaration, index) => {
    const { file, section, extra, requirement } = declaration;
    if (posix.basename(file) !== "package.json" || extra?.declaredAs === undefined) return [];
    return [
      {
        member: relativeTo(directory, file),
        section,
        declaredAs: extra.declaredAs,
        requirement: declaredSpec(declaration, dependency.name, requirements[index] ?? requirement),
        version: to.version,
      },
    ];
  });
}
