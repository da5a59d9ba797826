/** Submodules: their commit follows a branch, or a tag named as the branch. */
import { UpdatesError } from "../../errors.js";
import { isSameKind, readTag, tagVersioning } from "../../versions/tag.js";
import type { Versioning } from "../contract.js";
import { defineManager } from "../define.js";
import { editManifests } from "../edit.js";
import { isCommit, taggedReleases } from "../git-tags.js";
import { gitOrigin } from "../origin.js";
import { existing, insideOf } from "../paths.js";
import { gitSource } from "../source.js";
import { GITMODULES, submoduleName, submodulesParse } from "./manifest.js";

/** Commits have no order: a commit at the tip of the branch counts as newer. */
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

export const submodules = defineManager({
  id: "submodules",
  missing: "Repo must contain a .gitmodules file.",
  versioning,
  filesToRead: (sources) =>
    insideOf(sources.directory) === "" ? existing(sources, [GITMODULES]) : [],
  parse: submodulesParse,
  normalize: submoduleName,
  available: async (dependency, lookup) => {
    const { url, branch } = gitOrigin(dependency);
    const { current } = dependency;
    const wanted = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
    const tip = (await lookup.references(url)).find(({ name }) => name === wanted);
    if (tip) return { releases: [{ version: tip.oid, pin: tip.oid }] };
    if (current !== undefined && !isCommit(current))
      return { releases: await taggedReleases(url, lookup) };
    throw new UpdatesError("package_unknown", `${url} has no branch ${branch ?? "to follow"}.`);
  },
  comparable: ({ current, extra }, { releases }) => {
    const [tip] = releases;
    // A branch with the name of a tag, whose tip is the current commit.
    if (tip && tip.version === extra?.commit) return [{ ...tip, version: current ?? tip.version }];
    if (
      current === undefined ||
      !readTag(current) ||
      isCommit(current) ||
      (tip && isCommit(tip.version))
    )
      return releases;
    return releases.filter(({ version }) => isSameKind(current, version));
  },
  source: gitSource,
  requirement: ({ requirement }, { version }) => (isCommit(version) ? requirement : version),
  update: async ({ sources, changes }) => ({
    files: editManifests(sources.files, changes, (value) => value),
    submodules: new Map(
      changes.map(({ dependency, to }) => [dependency.extra?.path ?? "", to.pin ?? to.version]),
    ),
  }),
});
