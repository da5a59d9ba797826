/** npm, pnpm and Yarn: package.json and the lock files beside it. */
import semver from "semver";
import { semverVersioning } from "../../versions/semver.js";
import type { ParsedProject, Release } from "../contract.js";
import { defineManager } from "../define.js";
import { isPublished, npmAvailable, npmComparable } from "./packument.js";
import { npmParse, npmWanted } from "./parse.js";
import { npmRequirement } from "./requirement.js";
import { npmSource } from "./source.js";
import { npmUpdate } from "./update.js";

export const npmAndYarn = defineManager({
  id: "npm_and_yarn",
  missing: "Repo must contain a package.json.",
  versioning: semverVersioning,
  filesToRead: npmWanted,
  parse: npmParse,
  available: npmAvailable,
  comparable: npmComparable,
  runs: runsOn,
  isLibrary: async ({ self }, lookup) => self !== undefined && isPublished(self, lookup),
  source: npmSource,
  requirement: ({ requirement }, { version }, strategy) =>
    npmRequirement(requirement, version, strategy),
  update: npmUpdate,
});

/** Something of the oldest major version of Node that the project supports must do for the release. */
function runsOn({ runtime }: Release, { node }: ParsedProject["runtime"]): boolean {
  const asked = runtime?.node;
  if (node === undefined || asked === undefined) return true;
  if (semver.validRange(node) === null || semver.validRange(asked) === null) return true;
  const oldest = semver.minVersion(node)?.major;
  return oldest === undefined || oldest === 0 || semver.intersects(`${oldest}.x`, asked);
}
