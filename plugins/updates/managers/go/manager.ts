/** Go modules: go.mod and go.sum, both in process as long as no new module comes in. */
import type { Available, Dependency, Manager, Release } from "../contract.js";
import { goParse, goWanted } from "./parse.js";
import { goAvailable } from "./proxy.js";
import { goUpdate } from "./update.js";
import { goVersioning } from "./versioning.js";

export const goModules: Manager = {
  id: "go_modules",
  missing: "Repo must contain a go.mod.",
  versioning: goVersioning,
  wanted: goWanted,
  parse: goParse,
  normalise: (name) => name.trim().replace(/@.*$/, ""),
  available: goAvailable,
  comparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  requirement: ({ requirement }, { version }, strategy) =>
    strategy === "lockfile_only" ? requirement : version,
  update: goUpdate,
};

/** Another major version is another module (`/v2`); versions without a go.mod (`+incompatible`) do not mix with the others. */
function comparable({ current }: Dependency, { releases }: Available): readonly Release[] {
  const incompatible = current?.endsWith("+incompatible") ?? false;
  return releases.filter(
    ({ version }) =>
      goVersioning.isVersion(version) && version.endsWith("+incompatible") === incompatible,
  );
}
