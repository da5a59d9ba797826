/** Bundler: Gemfiles, gemspecs and the lock beside them. */
import { defineManager } from "../define.js";
import { gemAvailable, gemSource } from "./index.js";
import { gemParse } from "./parse.js";
import { gemRequirement } from "./requirement.js";
import { runsOn } from "./resolve.js";
import { gemWanted } from "./sources.js";
import { gemUpdate } from "./update.js";
import { gemVersioning } from "./versioning.js";

export const bundler = defineManager({
  id: "bundler",
  missing: "Repo must contain either a Gemfile, a gemspec, or a gems.rb.",
  versioning: gemVersioning,
  filesToRead: gemWanted,
  parse: gemParse,
  available: gemAvailable,
  runs: ({ runtime }, { ruby }) =>
    runsOn({ ...(runtime?.ruby === undefined ? {} : { ruby: runtime.ruby }) }, lowest(ruby)),
  strategy: (library) => (library ? "bump_versions_if_necessary" : "bump_versions"),
  source: gemSource,
  // A gem is used beside others: what it allowed stays allowed.
  requirement: ({ requirement, extra }, { version }, strategy) =>
    gemRequirement(requirement, version, extra?.in === "gemspec" ? "widen_ranges" : strategy),
  update: gemUpdate,
});

const lowest = (ruby: string | undefined): string | undefined =>
  ruby === undefined ? undefined : gemVersioning.floor(ruby);
