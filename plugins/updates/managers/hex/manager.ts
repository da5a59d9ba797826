/** Hex: mix.exs of a project or an umbrella, and the lock beside it. */
import { defineManager } from "../define.js";
import { hexParse, hexWanted } from "./parse.js";
import { hexAvailable, hexSource } from "./registry.js";
import { hexRequirement } from "./requirement.js";
import { hexUpdate } from "./update.js";
import { hexVersioning } from "./versioning.js";

export const hex = defineManager({
  id: "hex",
  missing: "Repo must contain a mix.exs.",
  versioning: hexVersioning,
  filesToRead: hexWanted,
  parse: hexParse,
  available: hexAvailable,
  source: hexSource,
  requirement: ({ requirement }, { version }, strategy) =>
    hexRequirement(requirement, version, strategy),
  update: hexUpdate,
});
