/** Elm: elm.json of packages, and of applications, where it says the versions of everything and so is its own lock file. */
import { UpdatesError } from "../../errors.js";
import { type JsonDocument, readJson } from "../../text/json.js";
import type {
  Declaration,
  Dependency,
  Manager,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  Tools,
  UpdateEdit,
  UpdateRequest,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { existing, within } from "../paths.js";
import { withMembers } from "./members.js";
import { elmAvailable, isElmName } from "./registry.js";
import { closure, type ResolveInput, solve, solved, type Versions } from "./resolve.js";
import { compareElmNames, elmRuns, elmVersioning, raisedElm } from "./versioning.js";

const MANIFEST = "elm.json";
const PUBLIC = "https://package.elm-lang.org";

const place = ({ directory }: ProjectSources): string => within(directory, MANIFEST);

export const elm: Manager = {
  id: "elm",
  missing: "Repo must contain an elm.json.",
  versioning: elmVersioning,
  filesToRead: (sources) => existing(sources, [place(sources)]),
  parse: elmParse,
  normalize: (name) => name.trim().replace(/@.*$/, ""),
  available: (dependency, lookup) => elmAvailable(dependency, lookup),
  comparable: (_dependency, { releases }) => releases,
  runs: ({ runtime }, project) => elmRuns(project.elm, runtime?.elm),
  isLibrary: async ({ runtime }) => runtime.type === "package",
  strategy: (library) => (library ? "widen_ranges" : "bump_versions"),
  pinned: async (_dependency, release) => release,
  source: async ({ name }) => ({ url: `https://github.com/${name}` }),
  requirement: ({ requirement }, { version }, strategy) =>
    strategy === "lockfile_only"
      ? requirement
      : raisedElm(requirement, version, strategy !== "bump_versions"),
  update: elmUpdate,
};

/** Both kinds of manifest: sections of an application are parted into what it names and what that brings along. */
const SECTIONS = ["dependencies", "test-dependencies"];

function elmParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const file = place(sources);
  const text = sources.files.get(file);
  if (text === undefined) return { dependencies: [], runtime: {}, broken: [] };
  try {
    const json = readJson(file, text);
    const type = json.value("type");
    if (type !== "application" && type !== "package")
      throw new UpdatesError(
        "manifest_unreadable",
        `${file} is neither of an application nor of a package.`,
      );
    const elmVersion = json.value("elm-version");
    const runtime = { type, ...(typeof elmVersion === "string" ? { elm: elmVersion } : {}) };
    const groups = new Map<string, Declaration[]>();
    for (const section of SECTIONS)
      for (const { key, value, range } of json.texts(...pathOf(type, section, "direct"))) {
        const development = section === "test-dependencies";
        const declaration = { file, range, requirement: value, section, development };
        groups.set(key, [...(groups.get(key) ?? []), declaration]);
      }
    return {
      dependencies: [...groups].map(([name, declarations]) =>
        dependency(name, declarations, registryOf(settings), runtime),
      ),
      runtime,
      broken: [],
    };
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError)) throw thrown;
    return { dependencies: [], runtime: {}, broken: [{ file, why: thrown.message }] };
  }
}

const pathOf = (type: string, section: string, part: string): readonly string[] =>
  type === "application" ? [section, part] : [section];

function dependency(
  name: string,
  declarations: readonly Declaration[],
  url: string,
  { type, elm: elmVersion }: { readonly type: string; readonly elm?: string },
): Dependency {
  const [first] = declarations;
  const exact = type === "application" ? first?.requirement : undefined;
  return {
    id: name,
    name,
    origin: isElmName(name)
      ? { kind: "registry", url }
      : { kind: "none", why: `${name} is no name that a package of Elm can have.` },
    declarations,
    development: declarations.every(({ development }) => development),
    current: exact ?? elmVersioning.floor(first?.requirement ?? ""),
    ...(elmVersion === undefined ? {} : { extra: { elm: elmVersion } }),
  };
}

const registryOf = ({ registries }: ManagerSettings): string =>
  (registries.find(({ manager }) => manager === "elm")?.url ?? PUBLIC).replace(/\/+$/, "");

async function elmUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { sources, settings, changes } = request;
  const file = place(sources);
  const files = new Map(editManifests(sources.files, changes, (value) => value));
  const text = files.get(file);
  if (text === undefined) return { files, submodules: new Map(), lock: { kind: "absent" } };
  const json = readJson(file, text);
  const puzzle = {
    registry: registryOf(settings),
    elm: String(json.value("elm-version") ?? ""),
    lookup: tools.lookup,
  };
  if (json.value("type") === "application") {
    files.set(file, await resettled(file, text, json, puzzle));
    const lock = { kind: "refreshed", tier: "in_process", by: "the graph of elm.json" } as const;
    return { files, submodules: new Map(), lock };
  }
  // A range may allow what nothing else goes with.
  const goals = new Map(SECTIONS.flatMap((section) => [...part(json, section)]));
  for (const { dependency, to } of changes) goals.set(dependency.name, to.version);
  solved(await solve(goals, puzzle));
  return { files, submodules: new Map(), lock: { kind: "absent" } };
}

const part = (json: JsonDocument, ...path: readonly string[]): Versions =>
  new Map(json.texts(...path).map(({ key, value }) => [key, value]));

/**
 * What is brought along, made to fit what the application names now, as `elm install` does it: everything stays where it is, or
 * else the newest of everything that the application does not name. What nobody needs any more goes, which Elm would keep.
 * @throws UpdatesError `does_not_resolve`
 */
async function resettled(
  file: string,
  text: string,
  json: JsonDocument,
  puzzle: ResolveInput,
): Promise<string> {
  const [named, tested] = SECTIONS.map((section) => part(json, section, "direct"));
  const fixed = new Map([...(tested ?? []), ...(named ?? [])]);
  const known = SECTIONS.flatMap((section) => [...part(json, section, "indirect")]);
  const still = await solve(new Map([...known, ...fixed]), puzzle);
  const versions = "versions" in still ? still.versions : solved(await solve(fixed, puzzle));
  const used = await closure(fixed.keys(), versions, puzzle);
  const inUse = await closure(named?.keys() ?? [], versions, puzzle);
  const pick = (wanted: (name: string) => boolean): Versions =>
    new Map(
      [...versions].filter(([name]) => wanted(name)).toSorted(([a], [b]) => compareElmNames(a, b)),
    );
  // What tests name and the application needs stands in both places.
  const indirect = pick((name) => inUse.has(name) && !named?.has(name));
  const forTests = pick((name) => used.has(name) && !inUse.has(name) && !fixed.has(name));
  const once = withMembers(file, text, ["dependencies", "indirect"], indirect);
  return withMembers(file, once, ["test-dependencies", "indirect"], forTests);
}
