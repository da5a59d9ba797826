/** Composer: composer.json and the lock beside it. */
import { jsonEscaped } from "../../text/json.js";
import type { ParsedProject, Release, Tools, UpdateRequest } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { refreshLock } from "../lock/refresh.js";
import { configuredUrl } from "../origin.js";
import { within } from "../paths.js";
import { composerParse, composerWanted } from "./manifest.js";
import { composerAvailable, composerSource } from "./registry.js";
import { moveLocked } from "./resolve.js";
import { lockedByComposer } from "./tool.js";
import { composerRequirement } from "./versions/requirement.js";
import { composerVersioning } from "./versions/versions.js";

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

/** Does the release run on the project's oldest PHP? */
function runs({ runtime }: Release, { php }: ParsedProject["runtime"]): boolean {
  const oldest = php === undefined ? undefined : composerVersioning.floor(php);
  if (runtime?.php === undefined || oldest === undefined) return true;
  return composerVersioning.satisfies(oldest, runtime.php);
}

async function update(
  { sources, settings, changes }: UpdateRequest,
  tools: Tools,
): Promise<PartialEdit> {
  const manifests = editManifests(sources.files, changes, jsonEscaped);
  const manifest = within(sources.directory, "composer.json");
  const file = within(sources.directory, "composer.lock");
  const [old = "", text] = [sources.files.get(manifest), sources.files.get(file)];
  if (text === undefined) return { files: manifests };
  const change = {
    sources,
    manifest,
    old,
    edited: manifests.get(manifest) ?? old,
    lock: file,
    text,
    changes,
  };
  const mirror = configuredUrl(settings, "composer");
  const { files, lock } = await refreshLock({
    file,
    inProcess: async () => ({
      text: await moveLocked({ ...change, lookup: tools.lookup }),
      by: "composer.lock",
    }),
    byTool: () => lockedByComposer({ ...change, tools, mirror }),
    advice: "composer update",
    strict: true,
  });
  return { files: new Map([...manifests, ...files]), lock };
}
