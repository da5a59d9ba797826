/** dep, the predecessor of Go modules. Its tool is gone, so the digest in Gopkg.lock stays stale after an update. */
import { replaced } from "../../text/text.js";
import type { UpdateEdit, UpdateRequest } from "../contract.js";
import { defineManager } from "../define.js";
import { editManifests } from "../edit.js";
import { taggedReleases } from "../git-tags.js";
import { gitOrigin } from "../origin.js";
import { gitSource } from "../source.js";
import { depParse, depWanted, gopkgLockFile, readGopkgLock } from "./manifest.js";
import { depRequirement, depVersioning } from "./versions.js";

export const dep = defineManager({
  id: "dep",
  missing: "Repo must contain a Gopkg.toml.",
  versioning: depVersioning,
  filesToRead: depWanted,
  parse: depParse,
  normalize: (name) =>
    name
      .trim()
      .replace(/^https?:\/\//, "")
      .replace(/@.*$|\.git$/, ""),
  available: async (dependency, lookup) => {
    const { url } = gitOrigin(dependency);
    return { releases: await taggedReleases(url, lookup, depVersioning.isVersion) };
  },
  comparable: ({ name }, { releases }) => {
    // The path of a module on gopkg.in names its major version.
    const [, major] = /^gopkg\.in\/.*\.v(\d+)$/.exec(name) ?? [];
    return major === undefined
      ? releases
      : releases.filter(({ version }) => depVersioning.numbers(version)?.[0] === Number(major));
  },
  source: gitSource,
  requirement: ({ requirement }, { version }, strategy) =>
    depRequirement(requirement, version, strategy),
  update,
});

async function update({
  sources,
  changes,
}: UpdateRequest): Promise<Pick<UpdateEdit, "files"> & Partial<UpdateEdit>> {
  const manifests = editManifests(sources.files, changes, (value) => value);
  const file = gopkgLockFile(sources);
  const text = sources.files.get(file);
  if (text === undefined) return { files: manifests };
  const locked = readGopkgLock(file, text);
  const edits = changes.flatMap(({ dependency, to }) => {
    const entry = locked.find(({ name }) => name === dependency.name);
    if (!entry?.version || !entry.revision || to.pin === undefined) return [];
    return [
      { range: entry.version.range, text: to.version },
      { range: entry.revision.range, text: to.pin },
    ];
  });
  return {
    files: edits.length === 0 ? manifests : new Map([...manifests, [file, replaced(text, edits)]]),
    lock: {
      kind: "stale",
      note: `${file} has the new version and revision, but only dep can compute its digest: run \`dep ensure\`. dep is no longer maintained; Go modules replaced it.`,
    },
  };
}
