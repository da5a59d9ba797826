/** Artifacts that POMs, extensions and the wrapper name, with all places that say a version. */
import { UpdatesError } from "../../errors.js";
import { readXml, valueIn, type XmlValue } from "../../text/xml.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { declare } from "../declare.js";
import { existing, within } from "../paths.js";
import { sharing } from "../shared-versions.js";
import { compareMaven } from "./order.js";
import { extensions, type Place, placesOf } from "./places.js";
import { PARENT, type Pom, Poms, type Written } from "./project.js";
import { mavenFloor } from "./ranges.js";
import { repositoriesFor, repositoriesOf } from "./repositories.js";
import { readWrapper, WRAPPER } from "./wrapper.js";

const EXTENSIONS = ".mvn/extensions.xml";

export function mavenWanted(sources: ProjectSources): readonly RepositoryPath[] {
  if (existing(sources, [within(sources.directory, "pom.xml")]).length === 0) return [];
  const poms = new Poms(sources);
  const beside = [EXTENSIONS, WRAPPER].map((name) => within(sources.directory, name));
  const named = [...poms.files, ...poms.missing, ...existing(sources, beside)];
  return [...new Set(named)];
}

interface Group {
  readonly name: string;
  readonly declarations: Declaration[];
  /** The properties that say its version, by the file they are in. */
  readonly properties: Set<string>;
  readonly repositories: Set<string>;
  why: string | undefined;
}

/** What a place says, with its version followed to where it is written. */
interface Said {
  readonly name: string;
  readonly version: Written;
  readonly place: Pick<Place, "section" | "development">;
  readonly repositories: readonly string[];
}

export function mavenParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const poms = new Poms(sources);
  const broken = [...poms.broken];
  const groups = new Map<string, Group>();
  for (const pom of poms.all)
    for (const place of placesOf(pom.project)) {
      const name = nameOf(place, (value) => poms.text(pom, value));
      const version = valueIn(place.element, "version");
      if (name === undefined || version === undefined || poms.makes(name)) continue;
      const found = poms.resolve(pom, version);
      const isParent = place.section === "parent" && found?.property === undefined;
      const written = found && isParent ? { ...found, property: PARENT } : found;
      const group = groupOf(groups, name);
      if (written && /\d/.test(written.text))
        add(group, {
          name,
          version: written,
          place,
          repositories: repositoriesOf(poms, pom, place.plugin),
        });
      else group.why ??= unknown(name, version.text, pom);
    }
  for (const said of beside(sources, broken)) add(groupOf(groups, said.name), said);
  const shared = sharing([...groups.values()]);
  return {
    dependencies: [...groups.values()].map((group) =>
      dependency(group, shared.get(group.name), settings),
    ),
    runtime: {},
    broken,
  };
}

function groupOf(groups: Map<string, Group>, name: string): Group {
  const known = groups.get(name);
  if (known) return known;
  const group: Group = {
    name,
    declarations: [],
    properties: new Set(),
    repositories: new Set(),
    why: undefined,
  };
  groups.set(name, group);
  return group;
}

function add(group: Group, { version, place, repositories }: Said): void {
  const { file, range, text: requirement, property } = version;
  const { section, development } = place;
  if (property !== undefined) group.properties.add(`${file} ${property}`);
  for (const url of repositories) group.repositories.add(url);
  declare(group.declarations, { file, range, requirement, section, development });
}

const unknown = (name: string, version: string, { file }: Pom): string =>
  `${file} takes the version of ${name} from ${version}, which nothing in the repository says.`;

function nameOf(
  { element, group }: Place,
  resolve: (value: XmlValue | undefined) => string | undefined,
): string | undefined {
  const groupId = resolve(valueIn(element, "groupId")) ?? group;
  const artifactId = resolve(valueIn(element, "artifactId"));
  const name = `${groupId}:${artifactId}`;
  return /^[\w.-]+:[\w.-]+$/.test(name) && groupId !== undefined && artifactId !== undefined
    ? name
    : undefined;
}

/** What `.mvn` says: extensions of Maven itself, and the wrapper. */
function beside(
  { directory, files }: ProjectSources,
  broken: ParsedProject["broken"][number][],
): readonly Said[] {
  const said: Said[] = [];
  const file = within(directory, EXTENSIONS);
  const text = files.get(file);
  if (text !== undefined)
    try {
      const [root] = readXml(file, text).children;
      for (const place of extensions(root)) {
        const name = nameOf(place, (value) => value?.text);
        const version = valueIn(place.element, "version");
        if (name !== undefined && version !== undefined && !version.text.includes("${"))
          said.push({ name, version: { ...version, file }, place, repositories: [] });
      }
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError)) throw thrown;
      broken.push({ file, why: thrown.message });
    }
  const place = { section: "wrapper", development: true };
  for (const { name, version } of readWrapper(directory, files))
    said.push({ name, version, place, repositories: [] });
  return said;
}

function dependency(
  { name, declarations, repositories, why }: Group,
  shared: { readonly word: string; readonly others: readonly string[] } | undefined,
  settings: ManagerSettings,
): Dependency {
  const [url = "", ...more] = repositoriesFor(name, [...repositories], settings);
  const extra = {
    ...(more.length > 0 ? { repositories: more.join(" ") } : {}),
    ...(shared && shared.others.length > 0 ? { sharers: shared.others.join(" ") } : {}),
  };
  return {
    id: name,
    name,
    origin:
      declarations.length === 0 && why !== undefined
        ? { kind: "none", why }
        : { kind: "registry", url },
    declarations,
    development: declarations.length > 0 && declarations.every((one) => one.development),
    current: declarations
      .map(({ requirement }) => mavenFloor(requirement))
      .filter((version) => version !== undefined)
      .toSorted(compareMaven)[0],
    ...(shared === undefined ? {} : { together: shared.word }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
