/** Hex: mix.exs of a project or an umbrella, and the lock beside it. */
import type { Manager } from "../contract.js";
import { hexParse, hexWanted } from "./parse.js";
import { hexAvailable, hexSource } from "./registry.js";
import { hexRequirement } from "./requirement.js";
import { hexUpdate } from "./update.js";
import { hexVersioning } from "./versioning.js";

export const hex: Manager = {
  id: "hex",
  missing: "Repo must contain a mix.exs.",
  versioning: hexVersioning,
  wanted: hexWanted,
  parse: hexParse,
  normalise: (name) => name.trim(),
  available: hexAvailable,
  comparable: (_dependency, { releases }) =>
    releases.filter(({ version }) => hexVersioning.isVersion(version)),
  // The registry does not say which Elixir a release runs on.
  runs: () => true,
  isLibrary: async ({ self }) => self !== undefined,
  strategy: (library) => (library ? "widen_ranges" : "bump_versions"),
  pinned: async (_dependency, release) => release,
  source: hexSource,
  requirement: ({ requirement }, { version }, strategy) =>
    hexRequirement(requirement, version, strategy),
  update: hexUpdate,
};
