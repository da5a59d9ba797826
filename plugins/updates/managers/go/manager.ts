/** Go modules: go.mod and go.sum, both in process unless the update adds modules. */
import { posix } from "node:path";
import { replaced } from "../../text/text.js";
import type {
  LockOutcome,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { defineManager } from "../define.js";
import { combineLocks } from "../edit.js";
import { readSums, sumFile, writeSums } from "./lockfile.js";
import { goParse, goWanted, moduleFiles, PUBLIC_PROXY, proxyFor, readGoMod } from "./manifest.js";
import { goAvailable } from "./registry.js";
import { resolveModules } from "./resolve.js";
import { tidyWithGo } from "./tool.js";
import { goVersioning } from "./versions.js";

export const goModules = defineManager({
  id: "go_modules",
  missing: "Repo must contain a go.mod.",
  versioning: goVersioning,
  filesToRead: goWanted,
  parse: goParse,
  normalize: (name) => name.trim().replace(/@.*$/, ""),
  available: goAvailable,
  comparable: ({ current, extra }, { releases }) => {
    // Versions without a go.mod (`+incompatible`) compare only with each other.
    const excluded = new Set(extra?.excluded?.split(" "));
    const incompatible = current?.endsWith("+incompatible") ?? false;
    return releases.filter(
      ({ version }) =>
        goVersioning.isVersion(version) &&
        version.endsWith("+incompatible") === incompatible &&
        !excluded.has(version),
    );
  },
  source: async ({ name }) => {
    // On most hosts a module path starts with the address of its repository.
    const [host = "", owner, repository] = name.split("/");
    if (!host.includes(".") || owner === undefined || repository === undefined) return undefined;
    return { url: `https://${host}/${owner}/${repository}` };
  },
  update,
});

async function update(
  request: UpdateRequest,
  tools: Tools,
): Promise<Pick<UpdateEdit, "files" | "lock">> {
  const { sources, changes } = request;
  const files = new Map<RepositoryPath, string>();
  const outcomes: LockOutcome[] = [];
  for (const file of moduleFiles(sources)) {
    const text = sources.files.get(file);
    const versions = text === undefined ? undefined : changedVersions(text, changes);
    if (text === undefined || !versions?.size) continue;
    const module = await updateModule(file, text, versions, request, tools);
    for (const [path, content] of module.files) files.set(path, content);
    outcomes.push(module.lock);
  }
  const changed = [...files].filter(([path, text]) => text !== sources.files.get(path));
  return { files: new Map(changed), lock: combineLocks(outcomes) };
}

/** New versions of the modules that this go.mod requires. */
function changedVersions(
  text: string,
  changes: readonly VersionChange[],
): ReadonlyMap<string, string> {
  const required = new Set(readGoMod(text).requirements.map(({ path }) => path));
  return new Map(
    changes
      .filter(({ dependency }) => required.has(dependency.name))
      .map(({ dependency, to }) => [dependency.name, to.version]),
  );
}

async function updateModule(
  file: RepositoryPath,
  text: string,
  versions: ReadonlyMap<string, string>,
  { sources, settings }: UpdateRequest,
  tools: Tools,
): Promise<Pick<UpdateEdit, "files" | "lock">> {
  const main = readGoMod(text);
  const oldSums = sources.files.get(sumFile(file));
  const sums = oldSums === undefined ? undefined : readSums(oldSums);
  const proxyOf = (module: string): string => proxyFor(module, settings);
  const resolution = await resolveModules(main, versions, sums, proxyOf, tools.lookup);
  const edited = replaced(
    text,
    main.requirements.flatMap(({ path, version, range }) => {
      const next = resolution.raised.get(path);
      return next === undefined || next === version ? [] : [{ range, text: next }];
    }),
  );
  const files = new Map([[file, edited]]);
  const stale = (note: string) => ({ files, lock: { kind: "stale", note } as const });
  if (resolution.added.length > 0) {
    const proxies = [...new Set(main.requirements.map(({ path }) => proxyOf(path)))];
    const isPublic = proxies.every((proxy) => proxy === PUBLIC_PROXY);
    const added = resolution.added.slice(0, 3).join(", ");
    return (
      (await tidyWithGo({ file, edited, versions, sources, tools, proxies, isPublic })) ??
      stale(`${file} may need new modules (${added}), which only Go can tell: run \`go mod tidy\`.`)
    );
  }
  if (sources.files.has(posix.join(posix.dirname(file), "vendor/modules.txt")))
    return stale("The vendor directory is out of date: run `go mod vendor`.");
  if (oldSums === undefined) return { files, lock: { kind: "absent" } };
  const newSums = writeSums(new Map([...(sums ?? []), ...resolution.sums]));
  const styled = oldSums.includes("\r\n") ? newSums.replaceAll("\n", "\r\n") : newSums;
  return {
    files: files.set(sumFile(file), styled),
    lock: { kind: "refreshed", tier: "in_process", by: "minimal version selection" },
  };
}
