/** NuGet: projects, central package management, `packages.config`, SDKs and tools; lock files where only own entries change. */

import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type {
  LockOutcome,
  ProjectSources,
  Tools,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { refreshLock } from "../lock/refresh.js";
import { gitSource, repositoryAddress } from "../source.js";
import { isNugetLock, isProject, nugetWanted } from "./manifest/files.js";
import { nugetParse } from "./manifest/parse.js";
import { isSdk, sdkAvailable, sdkComparable } from "./manifest/sdk.js";
import { fromFeeds, nugetAvailable, registered } from "./registry/feed.js";
import { feedsOf } from "./registry/feeds.js";
import { moveLocked } from "./resolve/lock.js";
import { lockedByDotnet } from "./tool.js";
import { isInRange, nugetVersioning, raisedNuget, readRange } from "./versions.js";

export const nuget = defineManager({
  id: "nuget",
  missing:
    "Repo must contain a project file (.csproj, .fsproj, .vbproj), a solution, a packages.config or a global.json.",
  versioning: nugetVersioning,
  filesToRead: nugetWanted,
  parse: nugetParse,
  normalize: (name) =>
    name
      .trim()
      .replace(/[@/]\d.*$/, "")
      .toLowerCase(),
  available: (dependency, lookup) =>
    isSdk(dependency) ? sdkAvailable(dependency, lookup) : nugetAvailable(dependency, lookup),
  comparable: (dependency, available) => {
    if (isSdk(dependency)) return sdkComparable(dependency, available);
    const [{ declarations }, { releases }] = [dependency, available];
    const limits = declarations.flatMap(({ extra }) => readRange(extra?.allowed ?? "") ?? []);
    return releases.filter(
      ({ version }) =>
        nugetVersioning.isVersion(version) && limits.every((range) => isInRange(range, version)),
    );
  },
  source: async (dependency, { version }, lookup) => {
    if (isSdk(dependency)) return gitSource(dependency);
    const known = await fromFeeds(dependency, (feed) =>
      registered(feed, dependency.name, version, lookup),
    );
    const url = repositoryAddress(known.find((each) => each.version === version)?.source ?? "");
    return url === undefined ? undefined : { url };
  },
  requirement: ({ requirement }, { version }, strategy) =>
    raisedNuget(requirement, version, strategy !== "widen_ranges"),
  update: nugetUpdate,
});

/** @throws UpdatesError `does_not_resolve`, as `Lookup` */
async function nugetUpdate(request: UpdateRequest, tools: Tools): Promise<PartialEdit> {
  const { sources, settings } = request;
  const manifests = editManifests(sources.files, request.changes);
  // The SDK is in no lock file.
  const changes = request.changes.filter(({ dependency }) => !isSdk(dependency));
  if (changes.length === 0) return { files: manifests };
  const files = new Map(manifests);
  const outcomes: LockOutcome[] = [];
  const feeds = (name: string): readonly string[] => feedsOf(name, sources, settings);
  const names = ["", ...changes.map(({ dependency }) => dependency.name)];
  const allFeeds = [...new Set(names.flatMap(feeds))];
  const projects = [...sources.files.keys()].filter(isProject);
  const relocking = { changes, projects, feeds, lookup: tools.lookup };
  const isAllowed = settings.unsafe?.includes("nuget");
  for (const [file, text] of sources.files) {
    if (!isNugetLock(file)) continue;
    const edit = await refreshLock({
      file,
      inProcess: async () => ({
        text: await moveLocked(text, relocking),
        by: "the feed's packages",
      }),
      byTool: isAllowed
        ? () =>
            lockedByDotnet({
              ...{ sources, lock: file, changes, tools },
              ...{ edited: manifests, feeds: allFeeds },
            })
        : undefined,
      advice: "dotnet restore --force-evaluate",
    });
    const next = edit.files.get(file);
    if (next === text) continue;
    outcomes.push(edit.lock);
    if (next !== undefined) files.set(file, next);
  }
  const note = unpackedDirectoryNote(sources, changes);
  if (note !== undefined) outcomes.push({ kind: "stale", note });
  const lock =
    outcomes.find(({ kind }) => kind === "stale") ??
    outcomes.find((one) => one.kind === "refreshed" && one.tier === "tool") ??
    outcomes[0];
  // Only lock files have the package, and they cannot change.
  if (files.size === 0 && lock?.kind === "stale")
    throw new UpdatesError("does_not_resolve", lock.note);
  return { files, ...(lock && { lock }) };
}

/** A note for references that the update cannot change, since the new version's directory is unknown. */
export function unpackedDirectoryNote(
  { files }: ProjectSources,
  changes: readonly VersionChange[],
): string | undefined {
  for (const { dependency } of changes)
    for (const { file, requirement, section } of dependency.declarations) {
      if (section !== "packages") continue;
      const directory = `\\${dependency.name}.${requirement}\\`.toLowerCase();
      for (const [path, text] of files)
        if (
          isProject(path) &&
          posix.dirname(path) === posix.dirname(file) &&
          text.replaceAll("/", "\\").toLowerCase().includes(directory)
        )
          return `${path} names the directory of ${dependency.name} ${requirement}, which has to change as well: run \`nuget update ${file}\`.`;
    }
  return undefined;
}
