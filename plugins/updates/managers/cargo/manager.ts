/** Cargo: Cargo.toml, workspaces, Cargo.lock. */
import { defineManager } from "../define.js";
import { cargoAvailable, cargoSource } from "./index.js";
import { byNumbers, cargoParse } from "./parse.js";
import { cargoRequirement } from "./requirement.js";
import { cargoUpdate } from "./update.js";
import { cargoVersioning } from "./versioning.js";
import { cargoWanted } from "./workspace.js";

export const cargo = defineManager({
  id: "cargo",
  missing: "Repo must contain a Cargo.toml.",
  versioning: cargoVersioning,
  filesToRead: cargoWanted,
  parse: cargoParse,
  available: cargoAvailable,
  // The oldest Rust that the project names is new enough.
  runs: ({ runtime }, { rust }) =>
    rust === undefined || runtime?.rust === undefined || byNumbers(runtime.rust, rust) <= 0,
  strategy: () => "bump_versions_if_necessary",
  source: cargoSource,
  requirement: ({ requirement }, { version }, strategy) =>
    cargoRequirement(requirement, version, strategy),
  update: cargoUpdate,
});
