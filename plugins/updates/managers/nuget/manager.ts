/** NuGet: projects, central package management, `packages.config`, SDKs and tools; lock files where only own entries change. */
import { UpdatesError } from "../../errors.js";
import type { LockOutcome, Tools, UpdateRequest } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { refreshLock } from "../lock/refresh.js";
import { repositoryAddress } from "../source.js";
import { fromFeeds, nugetAvailable, registered } from "./feed.js";
import { feedsOf } from "./feeds.js";
import { isNugetLock, isProject, nugetWanted } from "./files.js";
import { unpackedDirectoryNote } from "./left-behind.js";
import { nugetParse } from "./parse.js";
import { isInRange, readRange } from "./range.js";
import { moveLocked } from "./relock.js";
import { lockedByDotnet } from "./tool.js";
import { nugetVersioning, raisedNuget } from "./versioning.js";

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
  available: nugetAvailable,
  comparable: ({ declarations }, { releases }) => {
    const limits = declarations.flatMap(({ extra }) => readRange(extra?.allowed ?? "") ?? []);
    return releases.filter(
      ({ version }) =>
        nugetVersioning.isVersion(version) && limits.every((range) => isInRange(range, version)),
    );
  },
  source: async (dependency, { version }, lookup) => {
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
async function nugetUpdate(
  { sources, settings, changes }: UpdateRequest,
  tools: Tools,
): Promise<PartialEdit> {
  const manifests = editManifests(sources.files, changes);
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
  // Only lock files have it, and none of them can have it otherwise.
  if (files.size === 0 && lock?.kind === "stale")
    throw new UpdatesError("does_not_resolve", lock.note);
  return { files, ...(lock && { lock }) };
}
