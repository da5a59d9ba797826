/** From mix.exs and mix.lock to dependencies. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Dependency, Found, Origin, RepositoryPath, Settings, Sources } from "../contract.js";
import { existing, within } from "../paths.js";
import { type LockedHex, type MixProject, type MixRequest, readMix, readMixLock } from "./mix.js";
import { PUBLIC } from "./registry.js";
import { hexVersioning, isRequirement } from "./versioning.js";

export const lockFile = ({ directory }: Sources): RepositoryPath => within(directory, "mix.lock");

/** The project's own mix.exs, and those of an umbrella's projects. */
function mixFiles(sources: Sources): readonly RepositoryPath[] {
  const root = within(sources.directory, "mix.exs");
  const text = sources.files.get(root);
  const apps = within(sources.directory, "apps");
  const members =
    text !== undefined && readMix(text).isUmbrella
      ? sources.tree
          .filter(
            ({ path, kind }) =>
              kind === "file" &&
              posix.basename(path) === "mix.exs" &&
              posix.dirname(posix.dirname(path)) === apps,
          )
          .map(({ path }) => path)
      : [];
  return [...existing(sources, [root]), ...members];
}

export function hexWanted(sources: Sources): readonly RepositoryPath[] {
  const files = mixFiles(sources);
  return files.length === 0 ? [] : [...files, ...existing(sources, [lockFile(sources)])];
}

/** Each mix.exs, read. */
export const mixProjects = (
  sources: Sources,
): readonly { readonly file: RepositoryPath; readonly project: MixProject }[] =>
  mixFiles(sources).flatMap((file) => {
    const text = sources.files.get(file);
    return text === undefined ? [] : [{ file, project: readMix(text) }];
  });

/** The instance's for an organization, the instance's for all, the public one. */
export function registryFor(organization: string | undefined, { registries }: Settings): string {
  const own = registries.filter(({ manager }) => manager === "hex");
  const scoped = own.find(({ scope }) => scope !== undefined && scope === organization)?.url;
  const plain = (own.find(({ scope }) => scope === undefined)?.url ?? PUBLIC).replace(/\/+$/, "");
  if (scoped !== undefined) return scoped.replace(/\/+$/, "");
  return organization === undefined ? plain : `${plain}/repos/${organization}`;
}

export function hexParse(sources: Sources, settings: Settings): Found {
  const broken: { file: RepositoryPath; why: string }[] = [];
  const lock = lockFile(sources);
  const locked = lockedIn(sources, broken);
  const projects = mixProjects(sources);
  const asked = projects.flatMap(({ file, project }) =>
    project.requests.map((request) => ({ file, request })),
  );
  const direct = [...Map.groupBy(asked, ({ request }) => request.app)].map(([app, group]) =>
    dependencyOf(app, group, locked.get(app), { lock, settings }),
  );
  const known = new Set(asked.map(({ request }) => request.app));
  const indirect = [...locked.values()]
    .filter(({ app, version }) => !known.has(app) && hexVersioning.isVersion(version))
    .map(({ app, name, version, repo }): Dependency => {
      const organization = /^hexpm:(.+)$/.exec(repo)?.[1];
      return {
        ...{
          id: app,
          name,
          declarations: [],
          development: false,
          current: version,
          lockedBy: lock,
        },
        origin: { kind: "registry", url: registryFor(organization, settings) },
        extra: { app },
      };
    });
  const published = projects[0]?.project.published;
  const elixir = projects[0]?.project.elixir;
  return {
    dependencies: [...direct, ...indirect],
    runtime: elixir === undefined ? {} : { elixir },
    ...(published === undefined
      ? {}
      : {
          self: {
            name: published,
            description: "",
            origin: { kind: "registry", url: registryFor(undefined, settings) },
          },
        }),
    broken,
  };
}

function lockedIn(
  sources: Sources,
  broken: { file: RepositoryPath; why: string }[],
): ReadonlyMap<string, LockedHex> {
  const file = lockFile(sources);
  const text = sources.files.get(file);
  if (text === undefined) return new Map();
  try {
    return new Map(readMixLock(file, text).map((one) => [one.app, one]));
  } catch (error) {
    if (!(error instanceof UpdatesError)) throw error;
    broken.push({ file, why: error.message });
    return new Map();
  }
}

interface Asked {
  readonly file: RepositoryPath;
  readonly request: MixRequest;
}

function dependencyOf(
  app: string,
  group: readonly Asked[],
  locked: LockedHex | undefined,
  { lock, settings }: { readonly lock: RepositoryPath; readonly settings: Settings },
): Dependency {
  const [{ request }] = group as [Asked, ...Asked[]];
  const odd = group.find((one) => !isRequirement(one.request.requirement?.value ?? ""));
  const why =
    group.map((one) => one.request.elsewhere).find((one) => one !== undefined) ??
    (odd
      ? `What is wanted of ${app}, ${odd.request.requirement?.value}, is no requirement.`
      : undefined);
  const origin: Origin =
    why === undefined
      ? { kind: "registry", url: registryFor(request.organization, settings) }
      : { kind: "none", why };
  const declarations = group.map(({ file, request: { requirement, end, development } }) => ({
    file,
    range: requirement?.range ?? { start: end, end },
    requirement: requirement?.value ?? "",
    section: "deps",
    development,
  }));
  const pinned = declarations
    .map(({ requirement }) => requirement.replace(/^==\s*/, ""))
    .filter(hexVersioning.isVersion);
  const current = locked?.version ?? pinned.toSorted(hexVersioning.compare)[0];
  return {
    id: app,
    name: locked?.name ?? request.name,
    origin,
    declarations,
    development: declarations.every(({ development }) => development),
    current,
    ...(locked ? { lockedBy: lock } : {}),
    extra: { app },
  };
}
