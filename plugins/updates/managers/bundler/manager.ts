/** Bundler: Gemfiles, gemspecs and the lock beside them. */
import type { Declaration, Manager, ParsedProject, Release, Strategy } from "../contract.js";
import { gemAvailable, gemSource } from "./index.js";
import { gemParse } from "./parse.js";
import { gemRequirement } from "./requirement.js";
import { runsOn } from "./resolve.js";
import { gemWanted } from "./sources.js";
import { gemUpdate } from "./update.js";
import { gemVersioning } from "./versioning.js";

export const bundler: Manager = {
  id: "bundler",
  missing: "Repo must contain either a Gemfile, a gemspec, or a gems.rb.",
  versioning: gemVersioning,
  wanted: gemWanted,
  parse: gemParse,
  normalise: (name) => name.trim(),
  available: gemAvailable,
  comparable: (_dependency, { releases }) => releases,
  runs: ({ runtime }: Release, { ruby }: ParsedProject["runtime"]) =>
    runsOn({ ...(runtime?.ruby === undefined ? {} : { ruby: runtime.ruby }) }, lowest(ruby)),
  isLibrary: async ({ self }) => self !== undefined,
  strategy: (library) => (library ? "bump_versions_if_necessary" : "bump_versions"),
  pinned: async (_dependency, release) => release,
  source: gemSource,
  requirement: ({ requirement, extra }: Declaration, { version }, strategy) =>
    gemRequirement(requirement, version, extra?.in === "gemspec" ? wide(strategy) : strategy),
  update: gemUpdate,
};

const lowest = (ruby: string | undefined): string | undefined =>
  ruby === undefined ? undefined : gemVersioning.floor(ruby);

/** A gem is used beside others: what it allowed it goes on allowing. */
const wide = (strategy: Strategy): Strategy =>
  strategy === "lockfile_only" ? strategy : "widen_ranges";
