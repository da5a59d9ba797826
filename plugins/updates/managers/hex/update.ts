/** New requirements into each mix.exs, then the lock: in process from what the registry says, or by Mix where it may run the project. */
import { UpdatesError } from "../../errors.js";
import type {
  FileTexts,
  LockOutcome,
  ManagerSettings,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { readMixLock } from "./mix.js";
import { lockedProjects, lockFile, projectIn, registryFor } from "./parse.js";
import { hexArchive, hexReleases } from "./registry.js";
import { type HexPlace, type HexRoot, type MovedHex, settleHex } from "./settle.js";
import { lockedByMix } from "./tool.js";
import { Unsettled } from "./unsettled.js";
import { type NewEntry, writtenLock } from "./write-lock.js";

/** @throws UpdatesError `does_not_resolve`, `lock_failed`; as `Lookup` */
export async function hexUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { sources, changes } = request;
  const manifests = editManifests(sources.files, changes, (value) => value);
  const submodules = new Map<string, string>();
  const file = lockFile(sources);
  const text = sources.files.get(file);
  if (text === undefined) return { files: manifests, submodules, lock: { kind: "absent" } };
  const refreshed = await refresh({ request, tools, file, text, manifests });
  return {
    files: new Map([...manifests, ...refreshed.files]),
    submodules,
    lock: refreshed.lock,
  };
}

interface Refreshing {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  readonly file: RepositoryPath;
  readonly text: string;
  readonly manifests: FileTexts;
}

const appOf = ({ dependency }: VersionChange): string => dependency.extra?.app ?? dependency.name;

async function refresh(
  refreshing: Refreshing,
): Promise<{ readonly files: FileTexts; readonly lock: LockOutcome }> {
  const { request, file } = refreshing;
  try {
    return { files: new Map([[file, await inProcess(refreshing)]]), lock: IN_PROCESS };
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error;
    const apps = request.changes.map(appOf);
    const stale = (...whys: readonly string[]): { files: FileTexts; lock: LockOutcome } => {
      const note = `${file} is not refreshed, as ${whys.join("; ")}: run \`mix deps.update ${apps.join(" ")}\`.`;
      return { files: new Map(), lock: { kind: "stale", note } };
    };
    try {
      return (await byMix(refreshing, apps)) ?? stale(error.message);
    } catch (trouble) {
      if (!(trouble instanceof UpdatesError) || trouble.code === "does_not_resolve") throw trouble;
      return stale(error.message, trouble.message.replace(/\.$/, ""));
    }
  }
}

const IN_PROCESS: LockOutcome = { kind: "refreshed", tier: "in_process", by: "mix.lock" };

async function inProcess({ request, tools, file, text, manifests }: Refreshing): Promise<string> {
  const { sources, settings, changes } = request;
  const { lookup } = tools;
  const { entries, locked } = readMixLock(file, text);
  const after = { ...sources, files: new Map([...sources.files, ...manifests]) };
  const byApp = new Map(locked.map((one) => [one.app, one]));
  const wanted = new Map(changes.map((change) => [appOf(change), change.to.version]));
  const releasesOf = async (one: HexPlace) => {
    const releases = await hexReleases(registryOf(one, settings), one.name, lookup);
    return releases.map((release) => ({
      ...release,
      needs: release.needs.map((need) => ({ ...need, repo: need.repo || one.repo })),
    }));
  };
  for (const app of wanted.keys()) if (!byApp.has(app)) throw new Unsettled(`${app} is not locked`);
  const moved = await settleHex({ locked, roots: rootsIn(after), wanted, releasesOf });
  for (const one of moved.values()) {
    const old = byApp.get(one.app);
    const now = (await releasesOf(one)).find(({ version }) => version === old?.version);
    if (old && now?.inner !== old.inner)
      throw new Unsettled(`${one.app} is locked with another checksum than the registry has`);
  }
  const written = await Promise.all(
    [...moved.values()].map(async (one) => ({ ...one, tools: await toolsOf(one, request, tools) })),
  );
  return writtenLock(text, entries, written satisfies readonly NewEntry[]);
}

/** What all projects of the lock ask for. @throws Unsettled where that cannot be read */
function rootsIn(sources: UpdateRequest["sources"]): readonly HexRoot[] {
  const projects = lockedProjects(sources);
  const files = new Set(projects.map(({ file }) => file));
  return projects.flatMap(({ file, project }) =>
    project.requests.flatMap(({ app, requirement, override, isForeign, directory, elsewhere }) => {
      if (isForeign)
        throw new Unsettled(`${app} comes from a git repository, and what it needs is not known`);
      if (directory !== undefined && !files.has(projectIn(file, directory)))
        throw new Unsettled(`what ${app} needs, in ${directory}, is not in the repository`);
      return elsewhere === undefined
        ? [{ app, requirement: requirement?.value ?? "", override }]
        : [];
    }),
  );
}

/** What the release is built with, from itself: the registry's message does not have it. */
async function toolsOf(one: MovedHex, { settings }: UpdateRequest, { lookup }: Tools) {
  const { app, name, release } = one;
  const archive = await hexArchive(registryOf(one, settings), name, release.version, lookup);
  if (archive.outer !== release.outer)
    throw new UpdatesError(
      "lock_failed",
      `The archive of ${name} ${release.version} is not the one that the registry has signed for.`,
    );
  if (!archive.tools)
    throw new Unsettled(`${app} ${release.version} does not say what it is built with`);
  return archive.tools;
}

function registryOf({ repo }: HexPlace, settings: ManagerSettings): string {
  const [isPublic, organization] = /^hexpm(?::(.+))?$/.exec(repo) ?? [];
  if (isPublic === undefined)
    throw new Unsettled(`${repo} is a registry whose address only the machine knows`);
  return registryFor(organization, settings);
}

async function byMix(
  { request, tools, file, text, manifests }: Refreshing,
  apps: readonly string[],
) {
  const { sources, settings, changes } = request;
  if (!settings.unsafe?.includes("hex")) return undefined;
  return lockedByMix({
    ...{ sources, settings, tools, apps },
    lock: { file, text },
    edited: manifests,
    pinned: editManifests(sources.files, changes.map(exact), (value) => value),
  });
}

/** The version itself in the place of what each mix.exs asks for. */
const exact = (change: VersionChange): VersionChange => ({
  ...change,
  requirements: change.dependency.declarations.map(({ requirement }) =>
    requirement === "" ? "" : `== ${change.to.version}`,
  ),
});
