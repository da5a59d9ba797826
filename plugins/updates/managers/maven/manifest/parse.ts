/** Artifacts in POMs, extensions and the wrapper, with all declarations of their versions. */
import {
  child,
  descend,
  readXml,
  valueIn,
  type XmlElement,
  type XmlValue,
} from "../../../text/xml.js";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { declare } from "../../declare.js";
import { existing, within } from "../../paths.js";
import { type SharedVersion, sharing } from "../../shared-versions.js";
import { repositoriesFor } from "../registry.js";
import { compareMaven, mavenFloor, namesVersion } from "../versions.js";
import { PARENT, Poms, type ResolvedValue } from "./poms.js";
import { MAVEN_WRAPPER, readWrapper } from "./wrapper.js";

const EXTENSIONS = ".mvn/extensions.xml";
const PLUGIN_GROUP = "org.apache.maven.plugins";

export function mavenWanted(sources: ProjectSources): readonly RepositoryPath[] {
  if (existing(sources, [within(sources.directory, "pom.xml")]).length === 0) return [];
  const poms = new Poms(sources);
  const others = [EXTENSIONS, MAVEN_WRAPPER].map((name) => within(sources.directory, name));
  return [...new Set([...poms.files, ...poms.missing, ...existing(sources, others)])];
}

/** An element with `groupId`, `artifactId` and `version`. */
interface ArtifactElement {
  readonly element: XmlElement;
  readonly section: string;
  /** Plugins need no group. */
  readonly group?: string;
  readonly development: boolean;
  readonly plugin: boolean;
}

/** One declaration, its version followed to the file that has it. */
interface ArtifactVersion {
  readonly name: string;
  readonly version: ResolvedValue;
  readonly section: string;
  readonly development: boolean;
  readonly repositories: readonly string[];
}

interface Artifact {
  readonly name: string;
  readonly declarations: Declaration[];
  /** Properties with its version, each with its file. */
  readonly properties: Set<string>;
  readonly repositories: Set<string>;
  why: string | undefined;
}

export function mavenParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const poms = new Poms(sources);
  const broken: BrokenFiles = [...poms.broken];
  const artifacts = new Map<string, Artifact>();
  const artifactOf = (name: string): Artifact => {
    const artifact = artifacts.get(name) ?? {
      ...{ name, declarations: [], properties: new Set<string>() },
      ...{ repositories: new Set<string>(), why: undefined },
    };
    artifacts.set(name, artifact);
    return artifact;
  };
  for (const pom of poms.all)
    for (const each of artifactElements(pom.project)) {
      const name = nameOf(each, (value) => poms.text(pom, value));
      const version = valueIn(each.element, "version");
      if (name === undefined || version === undefined || poms.makes(name)) continue;
      const resolved = poms.resolve(pom, version);
      const isParent = each.section === "parent" && resolved?.property === undefined;
      const artifact = artifactOf(name);
      if (resolved && namesVersion(resolved.text))
        addVersion(artifact, {
          ...each,
          name,
          version: isParent ? { ...resolved, property: PARENT } : resolved,
          repositories: poms.repositories(pom, each.plugin),
        });
      else
        artifact.why ??= `${pom.file} takes the version of ${name} from ${version.text}, which the repository does not define.`;
    }
  for (const version of [...extensionVersions(sources, broken), ...wrapperVersions(sources)])
    addVersion(artifactOf(version.name), version);
  const shared = sharing([...artifacts.values()]);
  const dependencies = [...artifacts.values()].map((artifact) =>
    dependencyOf(artifact, shared.get(artifact.name), settings),
  );
  return { dependencies, runtime: {}, broken };
}

function addVersion(
  artifact: Artifact,
  { version, section, development, repositories }: ArtifactVersion,
): void {
  const { file, range, text: requirement, property } = version;
  if (property !== undefined) artifact.properties.add(`${file} ${property}`);
  for (const url of repositories) artifact.repositories.add(url);
  declare(artifact.declarations, { file, range, requirement, section, development });
}

function nameOf(
  { element, group }: ArtifactElement,
  resolve: (value: XmlValue | undefined) => string | undefined,
): string | undefined {
  const groupId = resolve(valueIn(element, "groupId")) ?? group;
  const artifactId = resolve(valueIn(element, "artifactId"));
  const name = `${groupId}:${artifactId}`;
  return /^[\w.-]+:[\w.-]+$/.test(name) && groupId !== undefined && artifactId !== undefined
    ? name
    : undefined;
}

/** Extensions of Maven itself, in `.mvn`. */
function extensionVersions(
  { directory, files }: ProjectSources,
  broken: BrokenFiles,
): readonly ArtifactVersion[] {
  const file = within(directory, EXTENSIONS);
  const text = files.get(file);
  const root =
    text === undefined ? undefined : readOrReport(file, broken, () => readXml(file, text));
  return extensions(root?.children[0]).flatMap((each) => {
    const name = nameOf(each, (value) => value?.text);
    const version = valueIn(each.element, "version");
    return name === undefined || version === undefined || version.text.includes("${")
      ? []
      : [{ ...each, name, version: { ...version, file }, repositories: [] }];
  });
}

const wrapperVersions = ({ directory, files }: ProjectSources): readonly ArtifactVersion[] =>
  readWrapper(directory, files).map(({ name, version }) => ({
    ...{ name, version, section: "wrapper", development: true, repositories: [] },
  }));

/** Dependencies, the parent, plugins with their dependencies, and extensions of a POM. */
function artifactElements(project: XmlElement): readonly ArtifactElement[] {
  const parent = child(project, "parent");
  return [
    ...(parent ? [{ element: parent, section: "parent", development: false, plugin: false }] : []),
    ...inModel(project),
    ...descend(project, "profiles", "profile").flatMap(inModel),
  ];
}

function inModel(model: XmlElement): readonly ArtifactElement[] {
  return [
    ...dependencies(model, "dependencies"),
    ...dependencies(child(model, "dependencyManagement"), "dependencyManagement"),
    ...descend(model, "build", "plugins", "plugin").flatMap(plugin),
    ...descend(model, "build", "pluginManagement", "plugins", "plugin").flatMap(plugin),
    ...descend(model, "reporting", "plugins", "plugin").flatMap(plugin),
    ...extensions(child(model, "build")),
  ];
}

/** Of a build, or of `.mvn/extensions.xml`. */
const extensions = (build: XmlElement | undefined): readonly ArtifactElement[] =>
  (build ? [...descend(build, "extensions", "extension"), ...descend(build, "extension")] : []).map(
    (element) => ({ element, section: "extensions", development: true, plugin: true }),
  );

function dependencies(model: XmlElement | undefined, section: string): readonly ArtifactElement[] {
  if (!model) return [];
  return descend(model, "dependencies", "dependency").flatMap((element) => {
    const scope = valueIn(element, "scope")?.text;
    // A file on the machine, of which no repository has another version.
    if (scope === "system") return [];
    return [{ element, section, development: scope === "test", plugin: false }];
  });
}

function plugin(element: XmlElement): readonly ArtifactElement[] {
  const inConfigurations = (section: string, item: string): readonly ArtifactElement[] =>
    [[], ["executions", "execution"]]
      .flatMap((path) => descend(element, ...path, "configuration", section, item))
      .map((each) => ({ element: each, section, development: true, plugin: false }));
  return [
    { element, section: "plugins", group: PLUGIN_GROUP, development: true, plugin: true },
    ...dependencies(element, "plugins").map((each) => ({ ...each, development: true })),
    ...inConfigurations("annotationProcessorPaths", "path"),
    // What the dependency plugin copies and unpacks.
    ...inConfigurations("artifactItems", "artifactItem"),
  ];
}

function dependencyOf(
  { name, declarations, repositories, why }: Artifact,
  shared: SharedVersion | undefined,
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
    development: declarations.length > 0 && declarations.every(({ development }) => development),
    current: declarations
      .map(({ requirement }) => mavenFloor(requirement))
      .filter((version) => version !== undefined)
      .toSorted(compareMaven)[0],
    ...(shared === undefined ? {} : { together: shared.word }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
