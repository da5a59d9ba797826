/**
 * Charts that a Helm chart depends on. Chart.lock is refreshed in process: its digest covers both files, and must be the one that Helm
 * would compute before anything changes. Images in values are those of `docker`.
 */
import { posix } from "node:path";
import type { UpdateRequest } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { combineLocks, editManifests } from "../edit.js";

import { LockFallback, orFallback, refreshLock, staleLock } from "../lock/refresh.js";
import { filePaths } from "../paths.js";
import { movedLock } from "./lockfile.js";
import { helmLockFile, helmManifest, helmParse, helmWanted } from "./manifest/parse.js";
import { keyOf } from "./manifest/read.js";
import { chartSource, chartVersions } from "./registry.js";
import { helmRequirement, helmVersioning } from "./versions.js";

const ADVICE = "helm dependency update";

export const helm = defineManager({
  id: "helm",
  missing: "Repo must contain a Chart.yaml.",
  versioning: helmVersioning,
  filesToRead: helmWanted,
  parse: helmParse,
  available: chartVersions,
  source: chartSource,
  isLibrary: async () => false,
  requirement: ({ requirement }, { version }, strategy) =>
    helmRequirement(requirement, version, strategy),
  update,
});

async function update({ sources, changes }: UpdateRequest): Promise<PartialEdit> {
  const manifests = editManifests(sources.files, changes);
  const file = helmManifest(sources);
  if (file === undefined) return { files: manifests };
  const lockFile = helmLockFile(file);
  const lock = sources.files.get(lockFile);
  const before = sources.files.get(file) ?? "";
  const moves = new Map(
    changes.map(({ dependency, to }) => [dependency.extra?.key ?? "", to.version] as const),
  );
  // Archives in the repository are read instead of the repositories of charts.
  const vendored = filePaths(sources).find(
    (path) =>
      posix.dirname(path) === posix.join(posix.dirname(file), "charts") && path.endsWith(".tgz"),
  );
  const outcomes = vendored === undefined ? [] : [staleLock(vendored, "it is an archive", ADVICE)];
  if (lock === undefined) return { files: manifests, lock: combineLocks(outcomes) };
  const refreshed = await refreshLock({
    file: lockFile,
    inProcess: async () => {
      const text = orFallback(() =>
        movedLock({
          ...{ file, before, after: manifests.get(file) ?? before, lockFile, lock },
          moved: (dependency) => moves.get(keyOf(dependency)),
        }),
      );
      if (text === undefined) throw new LockFallback("its digest is not that of Chart.yaml");
      return { text, by: "the digest of Helm" };
    },
    advice: ADVICE,
  });
  return {
    files: new Map([...manifests, ...refreshed.files]),
    lock: combineLocks([...outcomes, refreshed.lock]),
  };
}
