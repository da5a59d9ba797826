/** dep, which came before Go modules and is no longer made: its manifests move, its lock file as far as can be known without it. */
import { UpdatesError } from "../../errors.js";
import { replaced } from "../../text/text.js";
import type {
  Available,
  Dependency,
  Manager,
  Release,
  UpdateEdit,
  UpdateRequest,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { gitSource } from "../source.js";
import { readGopkgLock } from "./gopkg.js";
import { depParse, depWanted, lockFile } from "./parse.js";
import { depRequirement, depVersioning } from "./versioning.js";

export const dep: Manager = {
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
  available: async ({ name, origin }, lookup) => {
    if (origin.kind !== "git")
      throw new UpdatesError("lookup_failed", `No repository is known for ${name}.`);
    const tags = await lookup.references(origin.url);
    const releases = tags
      .filter(({ name: tag }) => tag.startsWith("refs/tags/"))
      .map(({ name: tag, oid }) => ({ version: tag.slice("refs/tags/".length), pin: oid }));
    return { releases: releases.filter(({ version }) => depVersioning.isVersion(version)) };
  },
  comparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: gitSource,
  requirement: ({ requirement }, { version }, strategy) =>
    depRequirement(requirement, version, strategy),
  update,
};

/** gopkg.in keeps to one major version, which its name says. */
function comparable({ name }: Dependency, { releases }: Available): readonly Release[] {
  const [, major] = /^gopkg\.in\/.*\.v(\d+)$/.exec(name) ?? [];
  return major === undefined
    ? releases
    : releases.filter(({ version }) => depVersioning.numbers(version)?.[0] === Number(major));
}

async function update({ sources, changes }: UpdateRequest): Promise<UpdateEdit> {
  const manifests = editManifests(sources.files, changes, (value) => value);
  const file = lockFile(sources);
  const text = sources.files.get(file);
  if (text === undefined)
    return { files: manifests, submodules: new Map(), lock: { kind: "absent" } };
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
    submodules: new Map(),
    lock: {
      kind: "stale",
      note: `${file} has the new version and revision, but only dep can make its digest: run \`dep ensure\`. dep is no longer maintained; Go modules took its place.`,
    },
  };
}
