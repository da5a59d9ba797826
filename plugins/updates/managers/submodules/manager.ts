/** Submodules: the commit a repository points at follows a branch, or a tag that stands where a branch is named. */
import { UpdatesError } from "../../errors.js";
import { readTag, sameKind, tagVersioning } from "../../versions/tag.js";
import type {
  Available,
  Dependency,
  Manager,
  ParsedProject,
  ProjectSources,
  Release,
  Versioning,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { isCommit, taggedReleases } from "../git-tags.js";
import { existing, insideOf } from "../paths.js";
import { gitSource } from "../source.js";
import { addressOf, readGitmodules } from "./gitmodules.js";

const FILE = ".gitmodules";

/** Commits have no order: another one than ours, at the tip of the branch, is newer. */
const versioning: Versioning = {
  ...tagVersioning,
  isVersion: (text) => isCommit(text) || tagVersioning.isVersion(text),
  compare: (a, b) => {
    if (isCommit(a) || isCommit(b)) return a === b ? 0 : 1;
    return tagVersioning.compare(a, b);
  },
  isPrerelease: (version) => !isCommit(version) && tagVersioning.isPrerelease(version),
  numbers: (version) => (isCommit(version) ? undefined : tagVersioning.numbers(version)),
  satisfies: (version, requirement) => isCommit(version) || version === requirement,
  floor: () => undefined,
};

export const submodules: Manager = {
  id: "submodules",
  missing: "Repo must contain a .gitmodules file.",
  versioning,
  filesToRead: (sources) => (insideOf(sources.directory) === "" ? existing(sources, [FILE]) : []),
  parse,
  normalize: (name) =>
    name
      .trim()
      .replace(/\/+$/, "")
      .replace(/\.git$/, ""),
  available,
  comparable: ({ current, extra }, { releases }) => {
    const [tip] = releases;
    // A branch that is called like a tag, and has not moved.
    if (tip && tip.version === extra?.commit) return [{ ...tip, version: current ?? tip.version }];
    const mine = current === undefined || isCommit(current) ? undefined : readTag(current);
    if (!mine || (tip && isCommit(tip.version))) return releases;
    return releases.filter(({ version }) => {
      const tag = readTag(version);
      return tag !== undefined && sameKind(mine, tag);
    });
  },
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: gitSource,
  requirement: ({ requirement }, { version }, strategy) =>
    isCommit(version) || strategy === "lockfile_only" ? requirement : version,
  update: async ({ sources, changes }) => ({
    files: editManifests(sources.files, changes, (value) => value),
    submodules: new Map(
      changes.map(({ dependency, to }) => [dependency.extra?.path ?? "", to.pin ?? to.version]),
    ),
    lock: { kind: "absent" },
  }),
};

function parse(sources: ProjectSources): ParsedProject {
  const text = sources.files.get(FILE);
  const entries = text === undefined ? [] : readGitmodules(text);
  const dependencies = entries.map(({ path, url, branch }): Dependency => {
    const commit = sources.tree.find(
      (entry) => entry.path === path.text && entry.kind === "submodule",
    )?.oid;
    const address = addressOf(url.text, sources.url);
    const follows = branch?.text === "." ? undefined : branch;
    const tagged = follows !== undefined && readTag(follows.text) !== undefined;
    const place = follows ?? url;
    return {
      id: path.text,
      name: address === undefined ? path.text : submodules.normalize(address),
      origin: originOf(path.text, commit, address, follows?.text),
      declarations: [
        {
          file: FILE,
          range: place.range,
          requirement: place.text,
          section: `submodule "${path.text}"`,
          development: false,
        },
      ],
      development: false,
      current: tagged ? follows.text : commit,
      lockedBy: path.text,
      extra: { path: path.text, ...(commit === undefined ? {} : { commit }) },
    };
  });
  return { dependencies, runtime: {}, broken: [] };
}

function originOf(
  path: string,
  commit: string | undefined,
  address: string | undefined,
  branch: string | undefined,
): Dependency["origin"] {
  if (commit === undefined)
    return {
      kind: "none",
      why: `The tree has no submodule at ${path}, though .gitmodules names it.`,
    };
  if (address === undefined)
    return { kind: "none", why: `The address of ${path} is relative to one that is not known.` };
  return { kind: "git", url: address, ...(branch === undefined ? {} : { branch }) };
}

async function available(
  { name, origin, current }: Dependency,
  lookup: Parameters<Manager["available"]>[1],
): Promise<Available> {
  if (origin.kind !== "git")
    throw new UpdatesError("lookup_failed", `No repository is known for ${name}.`);
  const { url, branch } = origin;
  const wanted = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  const tip = (await lookup.references(url)).find((reference) => reference.name === wanted);
  if (!tip && current !== undefined && !isCommit(current))
    return { releases: await taggedReleases(url, lookup) };
  if (!tip)
    throw new UpdatesError("package_unknown", `${url} has no branch ${branch ?? "to follow"}.`);
  const releases: readonly Release[] = [{ version: tip.oid, pin: tip.oid }];
  return { releases };
}
