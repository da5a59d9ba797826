/** NuGet: projects, central package management, `packages.config`, SDKs and tools; lock files where only own entries change. */
import type { Edit, LockOutcome, Manager, Tools, UpdateRequest } from "../contract.js";
import { edited } from "../edit.js";
import { repositoryAddress } from "../source.js";
import { fromFeeds, nugetAvailable, registered } from "./feed.js";
import { feedsOf } from "./feeds.js";
import { isProject, named, nugetWanted } from "./files.js";
import { nugetParse } from "./parse.js";
import { relocked } from "./relock.js";
import { nugetVersioning, raisedNuget } from "./versioning.js";

export const nuget: Manager = {
  id: "nuget",
  missing:
    "Repo must contain a project file (.csproj, .fsproj, .vbproj), a solution, a packages.config or a global.json.",
  versioning: nugetVersioning,
  wanted: nugetWanted,
  parse: nugetParse,
  normalise: (name) =>
    name
      .trim()
      .replace(/[@/]\d.*$/, "")
      .toLowerCase(),
  available: nugetAvailable,
  comparable: (_dependency, { releases }) =>
    releases.filter(({ version }) => nugetVersioning.isVersion(version)),
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: async (dependency, { version }, lookup) => {
    const known = await fromFeeds(dependency, (feed) =>
      registered(feed, dependency.name, version, lookup),
    );
    const url = repositoryAddress(known.find((each) => each.version === version)?.source ?? "");
    return url === undefined ? undefined : { url };
  },
  requirement: ({ requirement }, { version }, strategy) =>
    strategy === "lockfile_only" ? requirement : raisedNuget(requirement, version),
  update: nugetUpdate,
};

async function nugetUpdate(request: UpdateRequest, tools: Tools): Promise<Edit> {
  const { sources, settings, changes } = request;
  const files = new Map(edited(sources.files, changes, (value) => value));
  const projects = [...sources.files.keys()].filter(isProject);
  const feeds = (name: string): readonly string[] => feedsOf(name, sources, settings);
  let lock: LockOutcome = { kind: "absent" };
  for (const [file, text] of sources.files) {
    if (!named(file, "packages.lock.json")) continue;
    const relocking = { changes, projects, feeds, lookup: tools.lookup };
    const { text: next, why } = await relocked(text, relocking);
    if (next === undefined)
      lock = {
        kind: "stale",
        note: `${file} is not refreshed, as ${why}: run \`dotnet restore --force-evaluate\`.`,
      };
    else if (next !== text) {
      files.set(file, next);
      if (lock.kind === "absent")
        lock = { kind: "refreshed", tier: "in_process", by: "the feed's packages" };
    }
  }
  return { files, submodules: new Map(), lock };
}
