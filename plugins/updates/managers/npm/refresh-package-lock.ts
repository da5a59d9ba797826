/** package-lock.json and npm-shrinkwrap.json: a worker thread with npm's own library. */
import { mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import type { LockRequirement } from "../../locks/contract.js";
import { inScratch } from "../../locks/scratch.js";
import type { Change, Files } from "../contract.js";
import { insideOf, relativeTo, within } from "../paths.js";
import { asWritten, type LockRefresh, type Refreshed } from "./refreshing.js";
import { registriesInUse } from "./registries.js";

export async function refreshPackageLockFile(refreshing: LockRefresh): Promise<Refreshed> {
  const { request, tools, file, pinned } = refreshing;
  const { sources, changes } = request;
  const cache = join(tools.scratch, "npm-cache");
  await mkdir(cache, { recursive: true });
  const directory = insideOf(sources.directory);
  const needed = [...pinned].filter(
    ([path]) => path === file || posix.basename(path) === "package.json",
  );
  return inScratch(tools.scratch, new Map(needed), async (root) => {
    const refreshed = await tools.workers.refresh(
      {
        kind: "package_lock",
        directory: join(root, directory),
        file: posix.basename(file),
        requirements: changes.flatMap((change) => requirementsOf(change, sources.directory)),
        indirect: changes
          .filter(({ dependency }) => dependency.declarations.length === 0)
          .map(({ dependency, to }) => ({ name: dependency.name, atLeast: to.version })),
        registries: registriesInUse({ ...sources, files: refreshing.files }, request.settings),
        credentials: tools.credentials,
        legacyPeers: /^\s*legacy-peer-deps\s*=\s*"?true/m.test(
          sources.files.get(within(sources.directory, ".npmrc")) ?? "",
        ),
        cache,
      },
      tools.signal,
    );
    const files: Files = new Map([[file, refreshed.text]]);
    return { files, lock: { kind: "refreshed", tier: "in_process", by: refreshed.by } };
  });
}

function requirementsOf(
  { dependency, requirements, to }: Change,
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
        requirement: asWritten(declaration, dependency.name, requirements[index] ?? requirement),
        version: to.version,
      },
    ];
  });
}
