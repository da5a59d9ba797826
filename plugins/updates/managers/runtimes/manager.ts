/** Runtimes and package managers: one update moves every file that names the same one, images in Dockerfiles included. */
import { posix } from "node:path";
import type { LockOutcome, UpdateRequest } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { gitSource } from "../source.js";
import { runtimesWanted } from "./manifest/files.js";
import { runtimesParse } from "./manifest/parse.js";
import { runtimeAvailable, runtimePinned } from "./registry.js";
import { runtimeName } from "./table.js";
import { runtimeComparable, runtimeRequirement, runtimeVersioning } from "./versions.js";

export const runtimes = defineManager({
  id: "runtimes",
  missing: "Repo must contain a file that names the version of a runtime, such as .nvmrc.",
  versioning: runtimeVersioning,
  filesToRead: runtimesWanted,
  parse: runtimesParse,
  normalize: (name) => runtimeName(name.trim()) ?? name.trim(),
  available: runtimeAvailable,
  comparable: (dependency, { releases }) => runtimeComparable(dependency, releases),
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: runtimePinned,
  source: gitSource,
  requirement: runtimeRequirement,
  update: async (request) => update(request),
});

function update({ sources, changes }: UpdateRequest): PartialEdit {
  const files = editManifests(sources.files, changes);
  const lock = staleMise([...files.keys()], new Set(sources.tree.map(({ path }) => path)));
  return { files, ...(lock ? { lock } : {}) };
}

/** Locking with mise may run code of the repository, so it never runs. */
function staleMise(edited: readonly string[], paths: ReadonlySet<string>): LockOutcome | undefined {
  for (const file of edited) {
    const lock = posix.join(posix.dirname(file), "mise.lock");
    if (/mise[^/]*\.toml$|mise\/config[^/]*\.toml$/.test(file) && paths.has(lock))
      return { kind: "stale", note: `${lock} is out of date: run \`mise lock\`.` };
  }
  return undefined;
}
