/** Go modules: go.mod and go.sum, both in process as long as no new module comes in. */
import type { Available, Dependency, Manager, Release, SourceRepository } from "../contract.js";
import { goParse, goWanted } from "./parse.js";
import { goAvailable } from "./proxy.js";
import { goUpdate } from "./update.js";
import { goVersioning } from "./versioning.js";

export const goModules: Manager = {
  id: "go_modules",
  missing: "Repo must contain a go.mod.",
  versioning: goVersioning,
  filesToRead: goWanted,
  parse: goParse,
  normalize: (name) => name.trim().replace(/@.*$/, ""),
  available: goAvailable,
  comparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: async ({ name }) => sourceOf(name),
  requirement: ({ requirement }, { version }, strategy) =>
    strategy === "lockfile_only" ? requirement : version,
  update: goUpdate,
};

/** A module's path is the address of its repository on the hosts that everybody knows, and on most others. */
function sourceOf(module: string): SourceRepository | undefined {
  const [host = "", owner, name] = module.split("/");
  if (!host.includes(".") || owner === undefined || name === undefined) return undefined;
  return { url: `https://${host}/${owner}/${name}` };
}

/** Another major version is another module (`/v2`); versions without a go.mod (`+incompatible`) do not mix with the others. */
function comparable({ current, extra }: Dependency, { releases }: Available): readonly Release[] {
  const excluded = new Set(extra?.excluded?.split(" "));
  const incompatible = current?.endsWith("+incompatible") ?? false;
  return releases.filter(
    ({ version }) =>
      goVersioning.isVersion(version) &&
      version.endsWith("+incompatible") === incompatible &&
      !excluded.has(version),
  );
}
