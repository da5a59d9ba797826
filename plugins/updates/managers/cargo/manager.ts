/** Cargo: Cargo.toml, workspaces, Cargo.lock. */
import { semverVersioning } from "../../versions/semver.js";
import type { Manager, ParsedProject, Release } from "../contract.js";
import { cargoAvailable, cargoSource } from "./index.js";
import { byNumbers, cargoParse } from "./parse.js";
import { cargoRequirement } from "./requirement.js";
import { cargoUpdate } from "./update.js";
import { cargoVersioning } from "./versioning.js";
import { cargoWanted } from "./workspace.js";

export const cargo: Manager = {
  id: "cargo",
  missing: "Repo must contain a Cargo.toml.",
  versioning: cargoVersioning,
  wanted: cargoWanted,
  parse: cargoParse,
  normalise: (name) => name.trim(),
  available: cargoAvailable,
  comparable: (_dependency, { releases }) =>
    releases.filter(({ version }) => semverVersioning.isVersion(version)),
  runs: runsOn,
  isLibrary: async () => false,
  strategy: () => "bump_versions_if_necessary",
  pinned: async (_dependency, release) => release,
  source: cargoSource,
  requirement: ({ requirement }, { version }, strategy) =>
    cargoRequirement(requirement, version, strategy),
  update: cargoUpdate,
};

/** The oldest Rust that the project says it is for is new enough. */
function runsOn({ runtime }: Release, { rust }: ParsedProject["runtime"]): boolean {
  return rust === undefined || runtime?.rust === undefined || byNumbers(runtime.rust, rust) <= 0;
}
