/** NuGet: projects, central package management, `packages.config`, SDKs and tools; lock files where only own entries change. */
import { defineManager } from "../define.js";
import { repositoryAddress } from "../source.js";
import { fromFeeds, nugetAvailable, registered } from "./feed.js";
import { nugetWanted } from "./files.js";
import { nugetParse } from "./parse.js";
import { allows, readRange } from "./range.js";
import { nugetUpdate } from "./update.js";
import { nugetVersioning, raisedNuget } from "./versioning.js";

export const nuget = defineManager({
  id: "nuget",
  missing:
    "Repo must contain a project file (.csproj, .fsproj, .vbproj), a solution, a packages.config or a global.json.",
  versioning: nugetVersioning,
  filesToRead: nugetWanted,
  parse: nugetParse,
  normalize: (name) =>
    name
      .trim()
      .replace(/[@/]\d.*$/, "")
      .toLowerCase(),
  available: nugetAvailable,
  comparable: ({ declarations }, { releases }) => {
    const limits = declarations.flatMap(({ extra }) => readRange(extra?.allowed ?? "") ?? []);
    return releases.filter(
      ({ version }) =>
        nugetVersioning.isVersion(version) && limits.every((range) => allows(range, version)),
    );
  },
  source: async (dependency, { version }, lookup) => {
    const known = await fromFeeds(dependency, (feed) =>
      registered(feed, dependency.name, version, lookup),
    );
    const url = repositoryAddress(known.find((each) => each.version === version)?.source ?? "");
    return url === undefined ? undefined : { url };
  },
  requirement: ({ requirement }, { version }, strategy) =>
    raisedNuget(requirement, version, strategy !== "widen_ranges"),
  update: nugetUpdate,
});
