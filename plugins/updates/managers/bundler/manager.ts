/** Bundler: Gemfiles, gemspecs and the lock beside them. */
import { posix } from "node:path";
import type { Tools, UpdateRequest, VersionChange } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { type Encode, editManifests } from "../edit.js";
import { LockFallback, refreshLock } from "../lock/refresh.js";
import { type GemLock, type GemNeed, readGemLock } from "./lockfile/read.js";
import { writeGemLock } from "./lockfile/write.js";
import { type GemProject, type GemRequest, gemProject, gemWanted } from "./manifest/gemfile.js";
import { gemParse, registryAt } from "./manifest/parse.js";
import { gemAvailable, gemSource } from "./registry.js";
import { resolveGems, runsOn } from "./resolve.js";
import { lockedByBundler } from "./tool.js";
import { gemRequirement, gemVersioning } from "./versions.js";

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
  // A gem's gemspec keeps what it allowed.
  requirement: ({ requirement, extra }, { version }, strategy) =>
    gemRequirement(requirement, version, extra?.in === "gemspec" ? "widen_ranges" : strategy),
  update: gemUpdate,
});

const lowest = (ruby: string | undefined): string | undefined =>
  ruby === undefined ? undefined : gemVersioning.floor(ruby);

/** @throws UpdatesError `does_not_resolve`, `lock_failed`; as `Lookup` */
async function gemUpdate(request: UpdateRequest, tools: Tools): Promise<PartialEdit> {
  const { sources, settings, changes } = request;
  const manifests = editManifests(sources.files, changes, encode);
  const project = gemProject({ ...sources, files: new Map([...sources.files, ...manifests]) });
  const { lock: file, gemfile } = project;
  const text = file === undefined ? undefined : sources.files.get(file);
  if (file === undefined || text === undefined) return { files: manifests };
  const isAllowed = settings.unsafe?.includes("bundler") && tools.read !== undefined;
  const { files, lock } = await refreshLock({
    file,
    inProcess: async () => ({
      text: await moveLocked(request, tools, { project, file, text }),
      by: "Gemfile.lock",
    }),
    byTool:
      isAllowed && gemfile !== undefined
        ? () =>
            lockedByBundler({
              ...{ sources, gemfile, lock: file, tools },
              edited: manifests,
              pinned: editManifests(sources.files, changes.map(exact), encode),
              names: changes.map(({ dependency }) => dependency.name),
            })
        : undefined,
    advice: "bundle lock",
  });
  return { files: new Map([...manifests, ...files]), lock };
}

/** Writes each clause as its own text: `">= 1", "< 3"`. */
const encode: Encode = (value, { extra }) => {
  const quote = extra?.quote;
  return quote === '"' || quote === "'" ? value.split(/,\s*/).join(`${quote}, ${quote}`) : value;
};

/** Exact versions in Gemfiles; gemspecs keep their requirements. */
const exact = (change: VersionChange): VersionChange => ({
  ...change,
  requirements: change.dependency.declarations.map((one, index) =>
    posix.extname(one.file) === ".gemspec" || one.requirement === ""
      ? (change.requirements[index] ?? one.requirement)
      : change.to.version,
  ),
});

/** @throws LockFallback; UpdatesError `does_not_resolve` */
async function moveLocked(
  { changes, settings }: UpdateRequest,
  { lookup }: Tools,
  {
    project,
    file,
    text,
  }: { readonly project: GemProject; readonly file: string; readonly text: string },
): Promise<string> {
  const lock = readGemLock(file, text);
  const wanted = new Map(changes.map(({ dependency, to }) => [dependency.name, to.version]));
  const direct = directRequirements(project, wanted);
  const own = ownNow(project, wanted);
  const changed = withNeeds(lock, own);
  const pathGems = new Set(
    lock.gems
      .filter(({ section }) => lock.sections[section]?.title === "PATH")
      .map(({ name }) => name),
  );
  const { moved, kept } = await resolveGems({
    lock: changed,
    wanted,
    direct: lock.direct.map(
      ({ name, requirement }): GemNeed => ({ name, requirement: direct.get(name) ?? requirement }),
    ),
    ruby: rubyOf(lock, project),
    registryOf: (section) => {
      const { title, remotes } = lock.sections[section] ?? { title: "", remotes: [] };
      return title === "GEM" && remotes.length === 1 ? registryAt(remotes[0], settings) : undefined;
    },
    lookup,
  });
  const all = new Set([...kept, ...pathGems]);
  return writeGemLock(text, lock, { moved, kept: all, direct, own });
}

function rubyOf(lock: GemLock, { gemfiles }: GemProject): string | undefined {
  const said = [lock.ruby, ...gemfiles.map(({ read }) => read.ruby)].find(
    (one) => one !== undefined,
  );
  return said === undefined ? undefined : gemVersioning.floor(said);
}

/** The new direct requirements: of Gemfiles, else of gemspecs for development. */
function directRequirements(
  { gemfiles, gemspecs }: GemProject,
  wanted: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const fromGemfiles = gemfiles.flatMap(({ read }) => read.gems);
  const fromGemspecs = gemspecs.flatMap(({ read }) =>
    read.gems.filter(({ groups }) => groups.includes("development")),
  );
  return new Map(
    [...wanted.keys()].flatMap((name): readonly (readonly [string, string])[] => {
      const named = (gem: GemRequest): boolean => gem.name === name;
      const requests = fromGemfiles.some(named)
        ? fromGemfiles.filter(named)
        : fromGemspecs.filter(named);
      const texts = new Set(requests.map(requirementOf));
      const [only] = texts;
      if (texts.size > 1) throw new LockFallback(`${name} is asked for in several ways`);
      return only === undefined ? [] : [[name, only]];
    }),
  );
}

/** The changed requirements of each local gem. */
function ownNow({ gemspecs }: GemProject, wanted: ReadonlyMap<string, string>) {
  return new Map(
    gemspecs.flatMap(({ read: { name, gems } }) =>
      name === undefined
        ? []
        : [
            [
              name,
              new Map(
                gems
                  .filter((gem) => wanted.has(gem.name) && !gem.groups.includes("development"))
                  .map((gem) => [gem.name, requirementOf(gem)]),
              ),
            ] as const,
          ],
    ),
  );
}

const requirementOf = ({ requirements }: GemRequest): string =>
  requirements.map(({ text }) => text).join(", ");

const withNeeds = (
  lock: GemLock,
  own: ReadonlyMap<string, ReadonlyMap<string, string>>,
): GemLock => ({
  ...lock,
  gems: lock.gems.map((gem) => ({
    ...gem,
    needs: gem.needs.map(({ name, requirement }) => ({
      name,
      requirement: own.get(gem.name)?.get(name) ?? requirement,
    })),
  })),
});
