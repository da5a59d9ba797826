/** New requirements into each mix.exs, and the lines of mix.lock from what the registry says. Mix itself runs the project, so it is not run. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { Change, Edit, LockOutcome, Settings, Tools, UpdateRequest } from "../contract.js";
import { edited } from "../edit.js";
import { replaced } from "../text.js";
import { type HexNeed, type LockedHex, readMixLock } from "./mix.js";
import { lockFile, mixProjects, registryFor } from "./parse.js";
import { type HexRelease, hexReleases } from "./registry.js";
import { hexVersioning } from "./versioning.js";

/** Why the lock cannot be worked out here, in a sentence without its full stop. */
class Unsettled extends Error {}

export async function hexUpdate(request: UpdateRequest, tools: Tools): Promise<Edit> {
  const { sources, settings, changes } = request;
  const manifests = edited(sources.files, changes, (value) => value);
  const submodules = new Map<string, string>();
  const file = lockFile(sources);
  const text = sources.files.get(file);
  if (text === undefined) return { files: manifests, submodules, lock: { kind: "absent" } };
  const after = { ...sources, files: new Map([...sources.files, ...manifests]) };
  const roots = mixProjects(after).flatMap(({ project }) =>
    project.requests
      .filter(({ elsewhere }) => elsewhere === undefined)
      .map(({ app, requirement }) => ({ app, requirement: requirement?.value ?? "" })),
  );
  try {
    const lock = await settled({
      text,
      locked: readMixLock(file, text),
      roots,
      changes,
      settings,
      lookup: tools.lookup,
    });
    return { files: new Map([...manifests, [file, lock]]), submodules, lock: IN_PROCESS };
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error;
    const names = changes.map(({ dependency }) => dependency.extra?.app ?? dependency.name);
    const note = `${file} is not refreshed, as ${error.message}: run \`mix deps.update ${names.join(" ")}\`.`;
    return { files: manifests, submodules, lock: { kind: "stale", note } };
  }
}

const IN_PROCESS: LockOutcome = { kind: "refreshed", tier: "in_process", by: "mix.lock" };

interface Settling {
  readonly text: string;
  readonly locked: readonly LockedHex[];
  readonly roots: readonly { readonly app: string; readonly requirement: string }[];
  readonly changes: readonly Change[];
  readonly settings: Settings;
  readonly lookup: Lookup;
}

/** What is locked stays where it is allowed; what a new version needs newer goes to the newest that all allow. */
async function settled(settling: Settling): Promise<string> {
  const { text, locked, changes } = settling;
  const byApp = new Map(locked.map((one) => [one.app, one]));
  const wanted = new Map(
    changes.map(({ dependency, to }) => [dependency.extra?.app ?? dependency.name, to.version]),
  );
  const moved = new Map<string, HexRelease>();
  const queue = [...wanted.keys()];
  for (const app of queue) {
    const one = byApp.get(app);
    if (!one) throw new Unsettled(`${app} is not locked`);
    const release = await releaseOf(one, wanted.get(app) ?? "", settling);
    moved.set(app, release);
    for (const need of release.needs) {
      const other = byApp.get(need.app);
      if (!other && need.optional) continue;
      if (!other)
        throw new Unsettled(
          `${app} ${release.version} needs ${need.app} ${need.requirement}, which is not locked`,
        );
      const version = wanted.get(need.app) ?? other.version;
      if (hexVersioning.satisfies(version, need.requirement) || wanted.has(need.app)) continue;
      wanted.set(need.app, await newest(other, { ...settling, moved }));
      queue.push(need.app);
    }
  }
  assertTogether(settling, moved);
  const edits = [...moved].flatMap(([app, release]) => {
    const one = byApp.get(app);
    return one ? [{ range: one.range, text: entry(one, release, text) }] : [];
  });
  return replaced(text, edits);
}

const registryOf = ({ repo }: LockedHex, settings: Settings): string => {
  const [, organization] = /^hexpm(?::(.+))?$/.exec(repo) ?? [];
  if (!repo.startsWith("hexpm"))
    throw new Unsettled(`${repo} is a registry whose address only the machine knows`);
  return registryFor(organization, settings);
};

/** The release to go to, after a look whether what is locked now would be written as it stands there. */
async function releaseOf(
  one: LockedHex,
  version: string,
  { text, settings, lookup }: Settling,
): Promise<HexRelease> {
  const releases = await hexReleases(registryOf(one, settings), one.name, lookup);
  const [now, next] = [one.version, version].map((each) =>
    releases.find((release) => release.version === each),
  );
  if (!next)
    throw new UpdatesError("does_not_resolve", `The registry has no ${one.name} ${version}.`);
  if (!now || entry(one, now, text) !== text.slice(one.range.start, one.range.end))
    throw new Unsettled(`${one.app} is locked in a way that is not written here`);
  return next;
}

async function newest(
  one: LockedHex,
  {
    locked,
    roots,
    moved,
    settings,
    lookup,
  }: Settling & { readonly moved: ReadonlyMap<string, HexRelease> },
): Promise<string> {
  const asked = [
    ...roots,
    ...locked.flatMap(({ app, needs }) => moved.get(app)?.needs ?? needs),
  ].filter(({ app }) => app === one.app);
  const releases = await hexReleases(registryOf(one, settings), one.name, lookup);
  const [best] = releases
    .filter(({ version, retired }) => retired === undefined && !hexVersioning.isPrerelease(version))
    .map(({ version }) => version)
    .filter((version) =>
      asked.every(({ requirement }) => hexVersioning.satisfies(version, requirement)),
    )
    .toSorted((a, b) => hexVersioning.compare(b, a));
  if (best === undefined)
    throw new UpdatesError(
      "does_not_resolve",
      `No ${one.name} satisfies all that need it: ${asked.map(({ requirement }) => requirement).join(", ")}.`,
    );
  return best;
}

/** Every need of what is locked, held against what it gets. */
function assertTogether({ locked, roots }: Settling, moved: ReadonlyMap<string, HexRelease>): void {
  const versions = new Map(
    locked.map(({ app, version }) => [app, moved.get(app)?.version ?? version]),
  );
  const check = (who: string, { app, requirement }: Pick<HexNeed, "app" | "requirement">): void => {
    const version = versions.get(app);
    if (version === undefined || hexVersioning.satisfies(version, requirement)) return;
    throw new UpdatesError(
      "does_not_resolve",
      `${who} needs ${app} ${requirement}, and ${version} is used.`,
    );
  };
  for (const root of roots) if (moved.has(root.app)) check("The project", root);
  for (const { app, version, needs } of locked) {
    const release = moved.get(app);
    for (const need of release?.needs ?? needs)
      if (release || moved.has(need.app)) check(`${app} ${release?.version ?? version}`, need);
  }
}

/** A tuple of mix.lock, with as many elements as there were: the last, a checksum, came with a later Hex. */
function entry(one: LockedHex, release: HexRelease, text: string): string {
  const old = text.slice(one.range.start, one.range.end);
  const needs = release.needs
    .toSorted((a, b) => (a.app < b.app ? -1 : a.app > b.app ? 1 : 0))
    .map(
      ({ app, name, requirement, optional, repo }) =>
        `{${atom(app)}, ${JSON.stringify(requirement)}, [hex: ${atom(name)}, repo: ${JSON.stringify(repo)}, optional: ${optional}]}`,
    );
  const start = `{:hex, ${atom(one.name)}, "${release.version}", "${release.inner}", ${one.managers}, [${needs.join(", ")}], "${one.repo}"`;
  return /, "[0-9a-f]{64}"\}$/.test(old) ? `${start}, "${release.outer}"}` : `${start}}`;
}

const atom = (name: string): string =>
  /^[A-Za-z_]\w*[?!]?$/.test(name) ? `:${name}` : `:${JSON.stringify(name)}`;
