/** Hex: mix.exs of a project or an umbrella, and the lock beside it. */
import { UpdatesError } from "../../errors.js";
import type { ManagerSettings, Tools, UpdateRequest, VersionChange } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { exactChange, LockFallback, refreshLock } from "../lock/refresh.js";
import { readMixLock } from "./lockfile/read.js";
import { writeMixLock } from "./lockfile/write.js";
import {
  hexParse,
  hexRegistryUrl,
  hexWanted,
  lockedProjects,
  mixLockFile,
  projectIn,
} from "./manifest/parse.js";
import { hexArchive, hexAvailable, hexReleases, hexSource } from "./registry.js";
import { type HexPackage, type HexRoot, type MovedHex, resolveHex } from "./resolve.js";
import { lockedByMix } from "./tool.js";
import { hexRequirement, hexVersioning } from "./versions.js";

export const hex = defineManager({
  id: "hex",
  missing: "Repo must contain a mix.exs.",
  versioning: hexVersioning,
  filesToRead: hexWanted,
  parse: hexParse,
  available: hexAvailable,
  source: hexSource,
  requirement: ({ requirement }, { version }, strategy) =>
    hexRequirement(requirement, version, strategy),
  update: hexUpdate,
});

/** @throws UpdatesError `does_not_resolve`, `lock_failed`; as `Lookup` */
async function hexUpdate(request: UpdateRequest, tools: Tools): Promise<PartialEdit> {
  const { sources, settings, changes } = request;
  const manifests = editManifests(sources.files, changes);
  const file = mixLockFile(sources);
  const text = sources.files.get(file);
  if (text === undefined) return { files: manifests };
  const after = { ...sources, files: new Map([...sources.files, ...manifests]) };
  const apps = changes.map(appOf);
  const isAllowed = settings.unsafe?.includes("hex") && tools.read !== undefined;
  const { files, lock } = await refreshLock({
    file,
    inProcess: async () => ({
      text: await moveLocked({ ...request, sources: after }, tools, file, text),
      by: "mix.lock",
    }),
    byTool: isAllowed
      ? () =>
          lockedByMix({
            ...{ sources, settings, tools, apps },
            lock: { file, text },
            edited: manifests,
            pinned: editManifests(sources.files, changes.map(exact)),
          })
      : undefined,
    advice: `mix deps.update ${apps.join(" ")}`,
  });
  return { files: new Map([...manifests, ...files]), lock };
}

const appOf = ({ dependency }: VersionChange): string => dependency.extra?.app ?? dependency.name;

const exact = exactChange((version, old) => (old === "" ? "" : `== ${version}`));

/** @throws LockFallback */
async function moveLocked(
  request: UpdateRequest,
  tools: Tools,
  file: string,
  text: string,
): Promise<string> {
  const { sources, settings, changes } = request;
  const { lookup } = tools;
  const { entries, locked } = readMixLock(file, text);
  const byApp = new Map(locked.map((one) => [one.app, one]));
  const wanted = new Map(changes.map((change) => [appOf(change), change.to.version]));
  const releasesOf = async (one: HexPackage) => {
    const releases = await hexReleases(registryOf(one, settings), one.name, lookup);
    return releases.map((release) => ({
      ...release,
      needs: release.needs.map((need) => ({ ...need, repo: need.repo || one.repo })),
    }));
  };
  for (const app of wanted.keys())
    if (!byApp.has(app)) throw new LockFallback(`${app} is not locked`);
  const moved = await resolveHex({ locked, roots: rootsIn(sources), wanted, releasesOf });
  for (const one of moved.values()) {
    const old = byApp.get(one.app);
    const now = (await releasesOf(one)).find(({ version }) => version === old?.version);
    if (old && now?.inner !== old.inner)
      throw new LockFallback(`${one.app} is locked with another checksum than the registry has`);
  }
  const written = await Promise.all(
    [...moved.values()].map(async (one) => ({ ...one, tools: await toolsOf(one, request, tools) })),
  );
  return writeMixLock(text, entries, written);
}

/** The requirements of all projects that share the lock. @throws LockFallback where they cannot be read */
function rootsIn(sources: UpdateRequest["sources"]): readonly HexRoot[] {
  const projects = lockedProjects(sources);
  const files = new Set(projects.map(({ file }) => file));
  return projects.flatMap(({ file, project }) =>
    project.requests.flatMap(({ app, requirement, override, isForeign, directory, elsewhere }) => {
      if (isForeign)
        throw new LockFallback(
          `${app} comes from a git repository, and what it needs is not known`,
        );
      if (directory !== undefined && !files.has(projectIn(file, directory)))
        throw new LockFallback(`what ${app} needs, in ${directory}, is not in the repository`);
      return elsewhere === undefined
        ? [{ app, requirement: requirement?.value ?? "", override }]
        : [];
    }),
  );
}

/** The build tools of a release, from its archive: the registry's message lacks them. */
async function toolsOf(one: MovedHex, { settings }: UpdateRequest, { lookup }: Tools) {
  const { app, name, release } = one;
  const archive = await hexArchive(registryOf(one, settings), name, release.version, lookup);
  if (archive.outer !== release.outer)
    throw new UpdatesError(
      "lock_failed",
      `The archive of ${name} ${release.version} does not match the signature of the registry.`,
    );
  if (!archive.tools)
    throw new LockFallback(`${app} ${release.version} does not say what it is built with`);
  return archive.tools;
}

function registryOf({ repo }: HexPackage, settings: ManagerSettings): string {
  const [isPublic, organization] = /^hexpm(?::(.+))?$/.exec(repo) ?? [];
  if (isPublic === undefined)
    throw new LockFallback(`${repo} is a registry whose address only the machine knows`);
  return hexRegistryUrl(organization, settings);
}
