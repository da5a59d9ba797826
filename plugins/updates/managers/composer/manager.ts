/** Composer: composer.json and the lock beside it. */
import { jsonEscaped } from "../../text/json.js";
import type {
  LockOutcome,
  ParsedProject,
  Release,
  Tools,
  UpdateEdit,
  UpdateRequest,
} from "../contract.js";
import { defineManager } from "../define.js";
import { editManifests } from "../edit.js";
import { within } from "../paths.js";
import { Unsettled } from "./graph.js";
import { composerAvailable, composerSource } from "./metadata.js";
import { composerParse, composerWanted } from "./parse.js";
import { refreshedLock } from "./refresh.js";
import { composerRequirement } from "./requirement.js";
import { lockedByComposer } from "./tool.js";
import { composerVersioning } from "./versioning.js";

export const composer = defineManager({
  id: "composer",
  missing: "Repo must contain a composer.json.",
  versioning: composerVersioning,
  filesToRead: composerWanted,
  parse: composerParse,
  normalize: (name) => name.trim().toLowerCase(),
  available: composerAvailable,
  comparable: ({ extra }, { releases }) => {
    const conflict = extra?.conflict;
    if (conflict === undefined) return releases;
    return releases.filter(({ version }) => !composerVersioning.satisfies(version, conflict));
  },
  runs,
  strategy: (library) => (library ? "widen_ranges" : "bump_versions_if_necessary"),
  source: composerSource,
  requirement: ({ requirement }, { version }, strategy) =>
    composerRequirement(requirement, version, strategy),
  update,
});

/** The oldest PHP that the project supports must do for the release. */
function runs({ runtime }: Release, { php }: ParsedProject["runtime"]): boolean {
  const oldest = php === undefined ? undefined : composerVersioning.floor(php);
  if (runtime?.php === undefined || oldest === undefined) return true;
  return composerVersioning.satisfies(oldest, runtime.php);
}

async function update(
  { sources, settings, changes }: UpdateRequest,
  tools: Tools,
): Promise<UpdateEdit> {
  const manifests = editManifests(sources.files, changes, jsonEscaped);
  const [manifest, lock] = ["composer.json", "composer.lock"].map((name) =>
    within(sources.directory, name),
  ) as [string, string];
  const [old = "", text] = [sources.files.get(manifest), sources.files.get(lock)];
  const submodules = new Map<string, string>();
  if (text === undefined) return { files: manifests, submodules, lock: { kind: "absent" } };
  const composing = {
    sources,
    manifest,
    old,
    edited: manifests.get(manifest) ?? old,
    lock,
    text,
    changes,
  };
  const mirror = settings.registries.find(
    ({ manager, scope }) => manager === "composer" && scope === undefined,
  )?.url;
  try {
    const refreshed = await refreshedLock({ ...composing, lookup: tools.lookup });
    return { files: new Map([...manifests, [lock, refreshed]]), submodules, lock: IN_PROCESS };
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error;
    const byTool = await lockedByComposer({ ...composing, tools, mirror });
    if (byTool) return { ...byTool, files: new Map([...manifests, ...byTool.files]), submodules };
    const note = `${lock} is not refreshed, as ${error.message} and Composer is not installed: run \`composer update\`.`;
    return { files: manifests, submodules, lock: { kind: "stale", note } };
  }
}

const IN_PROCESS: LockOutcome = { kind: "refreshed", tier: "in_process", by: "composer.lock" };
