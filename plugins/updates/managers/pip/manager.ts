/** Python: requirement files, setup.py and setup.cfg, pyproject.toml of PEP 621, Poetry, PDM and uv, Pipfile, and their lock files. */

import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { ParsedProject, Release } from "../contract.js";
import { defineManager } from "../define.js";
import { pipWanted } from "./manifests.js";
import { pipParse } from "./parse.js";
import { pipRequirement } from "./requirement.js";
import { pipAvailable, pipSource } from "./simple.js";
import { pipUpdate } from "./update.js";
import { pipVersioning } from "./versioning.js";
import { normalizedName } from "./written.js";

export const pip = defineManager({
  id: "pip",
  missing: "Repo must contain a requirements.txt, setup.py, setup.cfg, pyproject.toml, or Pipfile.",
  versioning: pipVersioning,
  filesToRead: pipWanted,
  parse: pipParse,
  normalize: normalizedName,
  available: pipAvailable,
  comparable: ({ current }, { releases }) => {
    const local = localOf(current);
    return releases.filter(
      ({ version }) => pipVersioning.isVersion(version) && localOf(version) === local,
    );
  },
  runs: runsOn,
  isLibrary: async ({ self }, lookup) => self !== undefined && isPublished(self, lookup),
  source: pipSource,
  requirement: ({ requirement }, { version }, strategy) =>
    pipRequirement(requirement, version, strategy),
  update: pipUpdate,
});

/** `+cu118` of `2.0.1+cu118`: what it was built for, which an update does not change. */
function localOf(version = ""): string {
  const start = version.indexOf("+");
  return start < 0 ? "" : version.slice(start).toLowerCase();
}

/** The oldest Python that the project is for will do. */
function runsOn({ runtime }: Release, { python }: ParsedProject["runtime"]): boolean {
  const range = runtime?.python;
  if (python === undefined || range === undefined) return true;
  const oldest = pipVersioning.floor(python);
  // `3.8` means the newest 3.8 there is, and who says `3` means no version in particular.
  const newest = oldest !== undefined && oldest.split(".").length < 3 ? `${oldest}.999` : oldest;
  return (
    newest === undefined ||
    pipVersioning.satisfies(newest, range) ||
    pipVersioning.floor(range) === undefined
  );
}

/** Is the project what the index knows by its name? */
async function isPublished(
  { name, description, origin }: NonNullable<ParsedProject["self"]>,
  lookup: Lookup,
): Promise<boolean> {
  if (origin.kind !== "registry" || description === "") return false;
  try {
    const summary = await lookup.fetch<string>({
      url: `${origin.url.replace(/\/simple$/, "")}/pypi/${name}/json`,
      purpose: "description",
      digest: ({ body }) => {
        const { info } = JSON.parse(new TextDecoder().decode(body)) as {
          info?: { summary?: unknown };
        };
        return typeof info?.summary === "string" ? info.summary : "";
      },
    });
    return summary === description;
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return false;
    throw error;
  }
}
