/** New requirements into the projects, then each lock file: in process, or by `dotnet restore` where it may run. */
import { UpdatesError } from "../../errors.js";
import type {
  FileTexts,
  LockOutcome,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { feedsOf } from "./feeds.js";
import { isLock, isProject } from "./files.js";
import { leftBehind } from "./left-behind.js";
import { relocked } from "./relock.js";
import { lockedByDotnet } from "./tool.js";

/** @throws UpdatesError `does_not_resolve`, as `Lookup` */
export async function nugetUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { sources, changes } = request;
  const manifests = editManifests(sources.files, changes, (value) => value);
  const files = new Map(manifests);
  const outcomes: LockOutcome[] = [];
  for (const [file, text] of sources.files) {
    if (!isLock(file)) continue;
    const { text: next, lock } = await refreshed(file, text, { request, tools, manifests });
    if (next === text) continue;
    outcomes.push(lock);
    if (next !== undefined) files.set(file, next);
  }
  const note = leftBehind(sources, changes);
  if (note !== undefined) outcomes.push({ kind: "stale", note });
  const lock =
    outcomes.find(({ kind }) => kind === "stale") ??
    outcomes.find((one) => one.kind === "refreshed" && one.tier === "tool") ??
    outcomes[0];
  // Only lock files have it, and none of them can have it otherwise.
  if (files.size === 0 && lock?.kind === "stale")
    throw new UpdatesError("does_not_resolve", lock.note);
  return { files, submodules: new Map(), lock: lock ?? { kind: "absent" } };
}

interface Refreshing {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  readonly manifests: FileTexts;
}

async function refreshed(
  file: RepositoryPath,
  before: string,
  { request: { sources, settings, changes }, tools, manifests }: Refreshing,
): Promise<{ readonly text?: string; readonly lock: LockOutcome }> {
  const projects = [...sources.files.keys()].filter(isProject);
  const feeds = (name: string): readonly string[] => feedsOf(name, sources, settings);
  const relocking = { changes, projects, feeds, lookup: tools.lookup };
  const { text, why } = await relocked(before, relocking);
  if (text !== undefined)
    return { text, lock: { kind: "refreshed", tier: "in_process", by: "the feed's packages" } };
  let trouble = "";
  if (settings.unsafe?.includes("nuget"))
    try {
      const all = [
        ...new Set(["", ...changes.map(({ dependency }) => dependency.name)].flatMap(feeds)),
      ];
      const by = await lockedByDotnet({
        ...{ sources, lock: file, changes, tools },
        ...{ edited: manifests, feeds: all },
      });
      return { text: by.text, lock: { kind: "refreshed", tier: "tool", by: by.by } };
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError) || thrown.code === "does_not_resolve") throw thrown;
      trouble = ` ${thrown.message}`;
    }
  const note = `${file} is not refreshed, as ${why}: run \`dotnet restore --force-evaluate\`.${trouble}`;
  return { lock: { kind: "stale", note } };
}
