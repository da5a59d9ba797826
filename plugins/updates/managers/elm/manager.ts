/** Elm: elm.json of packages, and of applications, where it says the versions of everything and so is its own lock file. */
import { UpdatesError } from "../../errors.js";
import type {
  Declaration,
  Dependency,
  Edit,
  Found,
  Manager,
  Settings,
  Sources,
  Tools,
  UpdateRequest,
} from "../contract.js";
import { edited } from "../edit.js";
import { type JsonDocument, readJson } from "../json.js";
import { existing, within } from "../paths.js";
import { withMembers } from "./members.js";
import { elmAvailable } from "./registry.js";
import { closure, solve, type Versions } from "./solve.js";
import { elmVersioning, raisedElm } from "./versioning.js";

const MANIFEST = "elm.json";
const PUBLIC = "https://package.elm-lang.org";

const place = ({ directory }: Sources): string => within(directory, MANIFEST);

export const elm: Manager = {
  id: "elm",
  missing: "Repo must contain an elm.json.",
  versioning: elmVersioning,
  wanted: (sources) => existing(sources, [place(sources)]),
  parse: elmParse,
  normalise: (name) => name.trim().replace(/@.*$/, ""),
  available: (dependency, lookup) => elmAvailable(dependency, lookup),
  comparable: (_dependency, { releases }) => releases,
  runs: () => true,
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

function elmParse(sources: Sources, settings: Settings): Found {
  const file = place(sources);
  const text = sources.files.get(file);
  if (text === undefined) return { dependencies: [], runtime: {}, broken: [] };
  try {
    const json = readJson(file, text);
    const type = String(json.value("type"));
    const groups = new Map<string, Declaration[]>();
    for (const section of SECTIONS)
      for (const { key, value, range } of json.texts(...pathOf(type, section, "direct"))) {
        const development = section === "test-dependencies";
        const declaration = { file, range, requirement: value, section, development };
        groups.set(key, [...(groups.get(key) ?? []), declaration]);
      }
    return {
      dependencies: [...groups].map(([name, declarations]) =>
        dependency(name, declarations, type, registryOf(settings)),
      ),
      runtime: { type },
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
  type: string,
  url: string,
): Dependency {
  const [first] = declarations;
  const exact = type === "application" ? first?.requirement : undefined;
  return {
    id: name,
    name,
    origin: { kind: "registry", url },
    declarations,
    development: declarations.every(({ development }) => development),
    current: exact ?? elmVersioning.floor(first?.requirement ?? ""),
  };
}

const registryOf = ({ registries }: Settings): string =>
  (registries.find(({ manager }) => manager === "elm")?.url ?? PUBLIC).replace(/\/+$/, "");

async function elmUpdate(request: UpdateRequest, tools: Tools): Promise<Edit> {
  const { sources, settings, changes } = request;
  const file = place(sources);
  const files = new Map(edited(sources.files, changes, (value) => value));
  const text = files.get(file);
  if (text === undefined) return { files, submodules: new Map(), lock: { kind: "absent" } };
  const json = readJson(file, text);
  if (json.value("type") !== "application")
    return { files, submodules: new Map(), lock: { kind: "absent" } };
  files.set(file, await resettled(file, text, json, registryOf(settings), tools));
  const lock = { kind: "refreshed", tier: "in_process", by: "the graph of elm.json" } as const;
  return { files, submodules: new Map(), lock };
}

/** What is brought along, made to fit what the application names now. @throws UpdatesError `does_not_resolve` */
async function resettled(
  file: string,
  text: string,
  json: JsonDocument,
  registry: string,
  { lookup }: Tools,
): Promise<string> {
  const part = (section: string, name: string): Versions =>
    new Map(json.texts(section, name).map(({ key, value }) => [key, value]));
  const [named, tested] = SECTIONS.map((section) => part(section, "direct"));
  const fixed = new Map([...(tested ?? []), ...(named ?? [])]);
  const known = new Map(SECTIONS.toReversed().flatMap((section) => [...part(section, "indirect")]));
  const elmVersion = String(json.value("elm-version") ?? "");
  const versions = await solve({ registry, elm: elmVersion, fixed, known, lookup });
  const inUse = await closure(named?.keys() ?? [], versions, { registry, lookup });
  const pick = (wanted: (name: string) => boolean): Versions =>
    new Map([...versions].filter(([name]) => !fixed.has(name) && wanted(name)).sort());
  const indirect = pick((name) => inUse.has(name));
  const forTests = pick((name) => !inUse.has(name));
  const once = withMembers(file, text, ["dependencies", "indirect"], indirect);
  return withMembers(file, once, ["test-dependencies", "indirect"], forTests);
}
