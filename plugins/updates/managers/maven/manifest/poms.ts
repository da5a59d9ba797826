/** The POMs of a repository, their parents, and the values of their properties. */
import { posix } from "node:path";
import {
  child,
  descend,
  readXml,
  valueIn,
  type XmlElement,
  type XmlValue,
} from "../../../text/xml.js";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { existing, within } from "../../paths.js";

export interface Pom {
  readonly file: RepositoryPath;
  readonly project: XmlElement;
  readonly group: XmlValue | undefined;
  readonly artifact: XmlValue | undefined;
  readonly parent: RepositoryPath | undefined;
}

/** A value and where it is source: in the POM itself, or in the property that it names. */
export interface ResolvedValue extends XmlValue {
  readonly file: RepositoryPath;
  /** The property that holds the value. */
  readonly property?: string;
}

interface PropertyValue extends ResolvedValue {
  /** It is a version that this repository publishes, not one of a dependency. */
  readonly isOwn: boolean;
}

/** The property name for the version of a parent outside the repository. */
export const PARENT = "project.parent.version";

const POM = "pom.xml";

/** The POMs of the directory and its modules, and their parents in this repository, as far as they are read. */
export class Poms {
  readonly #poms = new Map<RepositoryPath, Pom>();
  #made: ReadonlySet<string> | undefined;
  readonly broken: BrokenFiles = [];
  /** Files that exist and are not read yet. */
  readonly missing: RepositoryPath[] = [];

  constructor(sources: ProjectSources) {
    const queue = [within(sources.directory, POM)];
    const seen = new Set<string>();
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      if (seen.has(file)) continue;
      seen.add(file);
      const text = sources.files.get(file);
      if (text === undefined) {
        if (existing(sources, [file]).length > 0) this.missing.push(file);
        continue;
      }
      const pom = this.#read(file, text, sources);
      if (!pom) continue;
      this.#poms.set(file, pom);
      if (pom.parent !== undefined) queue.push(pom.parent);
      queue.push(...modulesOf(pom, sources));
    }
  }

  get all(): readonly Pom[] {
    return [...this.#poms.values()];
  }

  get files(): readonly RepositoryPath[] {
    return [...this.#poms.keys()];
  }

  /** Does this repository publish `group:artifact`? */
  makes(name: string): boolean {
    this.#made ??= new Set(
      this.all.map((pom) => `${this.text(pom, pom.group)}:${this.text(pom, pom.artifact)}`),
    );
    return this.#made.has(name);
  }

  /** A POM, its parent, and so on, as far as the repository has them. */
  lineage(pom: Pom): readonly Pom[] {
    const line = new Set<Pom>();
    for (let at: Pom | undefined = pom; at && !line.has(at); at = this.#parentOf(at)) line.add(at);
    return [...line];
  }

  /** Undefined where the file at the parent's path is another POM, which only lists modules. */
  #parentOf({ parent, project }: Pom): Pom | undefined {
    const pom = parent === undefined ? undefined : this.#poms.get(parent);
    const reference = child(project, "parent");
    const matches = (name: string, own: XmlValue | undefined): boolean => {
      const text = valueIn(reference, name)?.text ?? "";
      return text === own?.text || text.includes("${") || own?.text.includes("${") === true;
    };
    return pom && matches("groupId", pom.group) && matches("artifactId", pom.artifact)
      ? pom
      : undefined;
  }

  /**
   * Follows properties to the value; undefined where a property is unknown, is only a part of the text, or is the version that the
   * project itself is published as.
   */
  resolve(pom: Pom, source: XmlValue): ResolvedValue | undefined {
    let value: ResolvedValue = { ...source, file: pom.file };
    for (let depth = 0; depth < 10; depth += 1) {
      if (!value.text.includes("${")) return value;
      const [, property] = /^\$\{([^${}]+)\}$/.exec(value.text) ?? [];
      const next = property === undefined ? undefined : this.#property(pom, property);
      if (!next || next.isOwn) return undefined;
      value = next;
    }
    return undefined;
  }

  /** The text with the values of its properties. */
  text(pom: Pom, source: XmlValue | undefined): string | undefined {
    return source?.text.replace(
      /\$\{([^${}]+)\}/g,
      (whole, name: string) => this.#property(pom, name)?.text ?? whole,
    );
  }

  #property(pom: Pom, name: string): PropertyValue | undefined {
    const own = /^(?:project\.|pom\.)?(groupId|artifactId|version)$/.exec(name)?.[1];
    const inherited = /^(?:project\.)?parent\.(groupId|artifactId|version)$/.exec(name)?.[1];
    for (const at of this.lineage(pom)) {
      const { project, file } = at;
      const fixed = own === undefined ? undefined : valueIn(project, own);
      if (fixed) return { ...fixed, file, isOwn: true };
      const value = [project, ...descend(project, "profiles", "profile")]
        .map((model) => valueIn(child(model, "properties"), name))
        .find((each) => each !== undefined);
      if (value) return { ...value, file, property: name, isOwn: false };
      const ofParent = valueIn(child(project, "parent"), inherited ?? own ?? "");
      if (ofParent)
        return { ...ofParent, file, property: PARENT, isOwn: this.#parentOf(at) !== undefined };
    }
    return undefined;
  }

  /** The repositories that a POM and its parents name. Environment variables in a URL are not expanded. */
  repositories(pom: Pom, plugin: boolean): readonly string[] {
    const path = plugin
      ? ["pluginRepositories", "pluginRepository"]
      : ["repositories", "repository"];
    return this.lineage(pom)
      .flatMap(({ project }) => descend(project, ...path))
      .filter((each) => valueIn(child(each, "releases"), "enabled")?.text !== "false")
      .map((each) => this.text(pom, valueIn(each, "url")) ?? "")
      .filter((url) => /^https?:\/\//.test(url) && !url.includes("${") && URL.canParse(url));
  }

  #read(file: RepositoryPath, text: string, sources: ProjectSources): Pom | undefined {
    const root = readOrReport(file, this.broken, () => readXml(file, text));
    const project = child(root, "project");
    if (root && !project) this.broken.push({ file, why: `${file} has no <project>.` });
    if (!project) return undefined;
    const parent = child(project, "parent");
    return {
      file,
      project,
      group: valueIn(project, "groupId") ?? valueIn(parent, "groupId"),
      artifact: valueIn(project, "artifactId"),
      parent: parentFile(file, parent, sources),
    };
  }
}

function modulesOf({ file, project }: Pom, sources: ProjectSources): readonly RepositoryPath[] {
  return [project, ...descend(project, "profiles", "profile")]
    .flatMap((model) => [
      ...descend(model, "modules", "module"),
      ...descend(model, "subprojects", "subproject"),
    ])
    .flatMap(({ value }) => (value ? fileAt(posix.dirname(file), value.text, sources) : []));
}

/** By default the directory above; an empty `relativePath` means a parent outside the repository. */
function parentFile(
  file: RepositoryPath,
  parent: XmlElement | undefined,
  sources: ProjectSources,
): RepositoryPath | undefined {
  if (!parent) return undefined;
  const path = child(parent, "relativePath");
  if (path && !path.value) return undefined;
  return fileAt(posix.dirname(file), path?.value?.text ?? "..", sources)[0];
}

/** A POM or its directory, if the repository has it. */
function fileAt(
  directory: string,
  path: string,
  sources: ProjectSources,
): readonly RepositoryPath[] {
  const joined = posix.join(directory, path.replaceAll("\\", "/"));
  if (joined.startsWith("..")) return [];
  return existing(sources, [joined, posix.join(joined, POM)]);
}
