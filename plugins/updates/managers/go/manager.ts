/** Go modules: go.mod and go.sum, both in process unless the update adds modules. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { replaced } from "../../text/text.js";
import type {
  Dependency,
  LockOutcome,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { defineManager } from "../define.js";
import { combineLocks, editManifests } from "../edit.js";
import { registryUrl } from "../origin.js";
import { readSums, sumFile, writeSums } from "./lockfile.js";
import {
  goParse,
  goWanted,
  moduleFiles,
  PUBLIC_PROXY,
  proxyFor,
  REPLACE,
  readGoMod,
} from "./manifest.js";
import { goAvailable, moduleFile, moduleSum } from "./registry.js";
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
    const whole = sources.files.get(file);
    if (whole === undefined) continue;
    const replacements = changes.filter(
      ({
        dependency: {
          declarations: [first],
        },
      }) => first?.section === REPLACE && first.file === file,
    );
    if (replacements.length > 0) {
      const replacing = await replaceModules(file, replacements, request, tools.lookup);
      for (const [path, content] of replacing.files) files.set(path, content);
      outcomes.push(replacing.lock);
    }
    const versions = changedVersions(whole, changes);
    if (versions.size === 0) continue;
    // Positions of the requirements are those of the file before the update.
    if (replacements.length > 0)
      throw new UpdatesError(
        "does_not_resolve",
        `${file} changes requirements and replacements, which Reeve does one after the other.`,
      );
    const text = whole;
    const module = await updateModule(file, text, versions, request, tools);
    for (const [path, content] of module.files) files.set(path, content);
    outcomes.push(module.lock);
  }
  const changed = [...files].filter(([path, text]) => text !== sources.files.get(path));
  return { files: new Map(changed), lock: combineLocks(outcomes) };
}

const isTarget = ({ declarations }: Dependency): boolean =>
  declarations.some(({ section }) => section === REPLACE);

/** The module graph stays if the new version has the requirements of the old one. @throws UpdatesError as `Lookup` */
async function replaceModules(
  file: RepositoryPath,
  changes: readonly VersionChange[],
  { sources }: UpdateRequest,
  lookup: Lookup,
): Promise<Pick<UpdateEdit, "files" | "lock">> {
  const files = new Map(editManifests(sources.files, changes));
  const oldSums = sources.files.get(sumFile(file));
  if (sources.files.has(posix.join(posix.dirname(file), "vendor/modules.txt")))
    return {
      files,
      lock: { kind: "stale", note: "The vendor directory is out of date: run `go mod vendor`." },
    };
  if (oldSums === undefined) return { files, lock: { kind: "absent" } };
  const sums = new Map(readSums(oldSums));
  for (const { dependency, to } of changes) {
    const { name, current = "" } = dependency;
    const url = registryUrl(dependency);
    const [old, next] = await Promise.all(
      [current, to.version].map((version) => moduleFile(url, name, version, lookup)),
    );
    const needs = [old, next].map((each) =>
      each?.requirements
        .map(({ path, version }) => `${path} ${version}`)
        .sort()
        .join("\n"),
    );
    if (needs[0] !== needs[1] || !next)
      return {
        files,
        lock: {
          kind: "stale",
          note: `${name} ${to.version} requires other modules than before: run \`go mod tidy\`.`,
        },
      };
    sums.set(`${name} ${to.version}/go.mod`, next.sum);
    if (sums.has(`${name} ${current}`))
      sums.set(`${name} ${to.version}`, await moduleSum(url, name, to.version, lookup));
  }
  const written = writeSums(sums);
  files.set(sumFile(file), oldSums.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written);
  return {
    files,
    lock: { kind: "refreshed", tier: "in_process", by: "minimal version selection" },
  };
}

/** New versions of the modules that this go.mod requires. */
function changedVersions(
  text: string,
  changes: readonly VersionChange[],
): ReadonlyMap<string, string> {
  const required = new Set(readGoMod(text).requirements.map(({ path }) => path));
  return new Map(
    changes
      .filter(({ dependency }) => required.has(dependency.name) && !isTarget(dependency))
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
