/** New requirements into Gemfiles and gemspecs, then the lock: in process, or by Bundler where it may run. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type {
  Declaration,
  FileTexts,
  LockOutcome,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { type Encode, editManifests } from "../edit.js";
import type { GemRequest } from "./gemfile.js";
import { type GemLock, type GemNeed, readGemLock } from "./lockfile.js";
import { registryAt } from "./parse.js";
import { LockFallback, resolveGems } from "./resolve.js";
import { type GemProject, gemProject } from "./sources.js";
import { lockedByBundler } from "./tool.js";
import { gemVersioning } from "./versioning.js";
import { writeGemLock } from "./write-lock.js";

/** @throws UpdatesError `does_not_resolve`, `lock_failed`; as `Lookup` */
export async function gemUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { sources, changes } = request;
  const manifests = editManifests(sources.files, changes, encode);
  const after = { ...sources, files: new Map([...sources.files, ...manifests]) };
  const project = gemProject(after);
  const { lock: file } = project;
  const text = file === undefined ? undefined : sources.files.get(file);
  if (file === undefined || text === undefined)
    return { files: manifests, submodules: new Map(), lock: { kind: "absent" } };
  const refreshed = await refresh({ request, tools, project, file, text, manifests });
  return {
    files: new Map([...manifests, ...refreshed.files]),
    submodules: new Map(),
    lock: refreshed.lock,
  };
}

/** Several clauses become several texts: `">= 1", "< 3"`. */
const encode: Encode = (value, { extra }) => {
  const quote = extra?.quote;
  return quote === '"' || quote === "'" ? value.split(/,\s*/).join(`${quote}, ${quote}`) : value;
};

interface Refreshing {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  /** After the edit. */
  readonly project: GemProject;
  readonly file: RepositoryPath;
  readonly text: string;
  readonly manifests: FileTexts;
}

async function refresh(
  refreshing: Refreshing,
): Promise<{ readonly files: FileTexts; readonly lock: LockOutcome }> {
  const { file } = refreshing;
  try {
    return { files: new Map([[file, await inProcess(refreshing)]]), lock: IN_PROCESS };
  } catch (error) {
    if (!(error instanceof LockFallback)) throw error;
    const stale = (...whys: readonly string[]): { files: FileTexts; lock: LockOutcome } => {
      const note = `${file} is not refreshed, as ${whys.join("; ")}: run \`bundle lock\`.`;
      return { files: new Map(), lock: { kind: "stale", note } };
    };
    try {
      return (await byBundler(refreshing)) ?? stale(error.message);
    } catch (trouble) {
      if (!(trouble instanceof UpdatesError) || trouble.code === "does_not_resolve") throw trouble;
      return stale(error.message, trouble.message.replace(/\.$/, ""));
    }
  }
}

const IN_PROCESS: LockOutcome = { kind: "refreshed", tier: "in_process", by: "Gemfile.lock" };

async function inProcess({ request, tools, project, file, text }: Refreshing): Promise<string> {
  const { changes, settings } = request;
  const lock = readGemLock(file, text);
  const wanted = new Map(changes.map(({ dependency, to }) => [dependency.name, to.version]));
  const asked = askedNow(project, wanted);
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
    asked: lock.asked.map(
      ({ name, requirement }): GemNeed => ({ name, requirement: asked.get(name) ?? requirement }),
    ),
    ruby: rubyOf(lock, project),
    registryOf: (section) => {
      const { title, remotes } = lock.sections[section] ?? { title: "", remotes: [] };
      return title === "GEM" && remotes.length === 1 ? registryAt(remotes[0], settings) : undefined;
    },
    lookup: tools.lookup,
  });
  const all = new Set([...kept, ...pathGems]);
  return writeGemLock(text, lock, { moved, kept: all, asked, own });
}

function rubyOf(lock: GemLock, { gemfiles }: GemProject): string | undefined {
  const said = [lock.ruby, ...gemfiles.map(({ read }) => read.ruby)].find(
    (one) => one !== undefined,
  );
  return said === undefined ? undefined : gemVersioning.floor(said);
}

/** What the Gemfiles ask for by now, and of what they do not, the gemspecs for development. */
function askedNow(
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

/** Of each gem that is made here, what it needs by now of what moves. */
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

async function byBundler({ request, tools, project, file, manifests }: Refreshing) {
  const { sources, settings, changes } = request;
  if (!settings.unsafe?.includes("bundler") || project.gemfile === undefined) return undefined;
  return lockedByBundler({
    sources,
    gemfile: project.gemfile,
    lock: file,
    edited: manifests,
    pinned: editManifests(sources.files, changes.map(exact), encode),
    names: changes.map(({ dependency }) => dependency.name),
    tools,
  });
}

/** The version itself in the place of what a Gemfile asks for; what a gemspec does stays. */
const exact = (change: VersionChange): VersionChange => ({
  ...change,
  requirements: change.dependency.declarations.map((one: Declaration, index) =>
    posix.extname(one.file) === ".gemspec" || one.requirement === ""
      ? (change.requirements[index] ?? one.requirement)
      : change.to.version,
  ),
});
