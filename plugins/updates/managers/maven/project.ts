/** The POMs of a repository: which there are, who is whose parent, and what properties stand for. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import {
  child,
  descend,
  readXml,
  valueIn,
  type XmlElement,
  type XmlValue,
} from "../../text/xml.js";
import type { ParsedProject, ProjectSources, RepositoryPath } from "../contract.js";
import { existing, within } from "../paths.js";

export interface Pom {
  readonly file: RepositoryPath;
  readonly project: XmlElement;
  readonly group: XmlValue | undefined;
  readonly artifact: XmlValue | undefined;
  readonly parent: RepositoryPath | undefined;
}

/** A value and where it is written: in the POM that asks, or in the property that it names. */
export interface Written extends XmlValue {
  readonly file: RepositoryPath;
  /** Of the property, where it is one. */
  readonly property?: string;
}

interface Known extends Written {
  /** What is made here goes by it: it is nobody else's version. */
  readonly ours: boolean;
}

/** As which the version of a parent that comes from elsewhere is shared. */
export const PARENT = "project.parent.version";

const POM = "pom.xml";

/** The POMs of the directory, of its modules, and their parents in this repository, as far as they were read. */
export class Poms {
  readonly #poms = new Map<RepositoryPath, Pom>();
  #made: ReadonlySet<string> | undefined;
  readonly broken: ParsedProject["broken"][number][] = [];
  /** What exists and was not read yet. */
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

  /** Is `group:artifact` made in this repository? */
  makes(name: string): boolean {
    this.#made ??= new Set(
      this.all.map((pom) => `${this.text(pom, pom.group)}:${this.text(pom, pom.artifact)}`),
    );
    return this.#made.has(name);
  }

  /** A POM, its parent, and so on, as far as they are in the repository. */
  lineage(pom: Pom): readonly Pom[] {
    const line = new Set<Pom>();
    for (let at: Pom | undefined = pom; at && !line.has(at); at = this.#parentOf(at)) line.add(at);
    return [...line];
  }

  /** What stands where the parent is looked for is often another POM, which only lists modules. */
  #parentOf({ parent, project }: Pom): Pom | undefined {
    const found = parent === undefined ? undefined : this.#poms.get(parent);
    const said = child(project, "parent");
    const isAsked = (name: string, own: XmlValue | undefined): boolean => {
      const asked = valueIn(said, name)?.text ?? "";
      return asked === own?.text || asked.includes("${") || own?.text.includes("${") === true;
    };
    return found && isAsked("groupId", found.group) && isAsked("artifactId", found.artifact)
      ? found
      : undefined;
  }

  /**
   * What `written` says in the end; undefined where a property in it is not known, is only a part of it, or is what the project itself
   * is published as.
   */
  resolve(pom: Pom, written: XmlValue): Written | undefined {
    let value: Written = { ...written, file: pom.file };
    for (let depth = 0; depth < 10; depth += 1) {
      if (!value.text.includes("${")) return value;
      const [, property] = /^\$\{([^${}]+)\}$/.exec(value.text) ?? [];
      const next = property === undefined ? undefined : this.#property(pom, property);
      if (!next || next.ours) return undefined;
      value = next;
    }
    return undefined;
  }

  /** A name, with everything that properties say put in. */
  text(pom: Pom, written: XmlValue | undefined): string | undefined {
    return written?.text.replace(
      /\$\{([^${}]+)\}/g,
      (whole, name: string) => this.#property(pom, name)?.text ?? whole,
    );
  }

  #property(pom: Pom, name: string): Known | undefined {
    const own = /^(?:project\.|pom\.)?(groupId|artifactId|version)$/.exec(name)?.[1];
    const inherited = /^(?:project\.)?parent\.(groupId|artifactId|version)$/.exec(name)?.[1];
    for (const at of this.lineage(pom)) {
      const { project, file } = at;
      const fixed = own === undefined ? undefined : valueIn(project, own);
      if (fixed) return { ...fixed, file, ours: true };
      const value = [project, ...descend(project, "profiles", "profile")]
        .map((place) => valueIn(child(place, "properties"), name))
        .find((found) => found !== undefined);
      if (value) return { ...value, file, property: name, ours: false };
      const ofParent = valueIn(child(project, "parent"), inherited ?? own ?? "");
      if (ofParent)
        return { ...ofParent, file, property: PARENT, ours: this.#parentOf(at) !== undefined };
    }
    return undefined;
  }

  #read(file: RepositoryPath, text: string, sources: ProjectSources): Pom | undefined {
    try {
      const project = child(readXml(file, text), "project");
      if (!project) {
        this.broken.push({ file, why: `${file} has no <project>.` });
        return undefined;
      }
      const parent = child(project, "parent");
      return {
        file,
        project,
        group: valueIn(project, "groupId") ?? valueIn(parent, "groupId"),
        artifact: valueIn(project, "artifactId"),
        parent: parentFile(file, parent, sources),
      };
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError)) throw thrown;
      this.broken.push({ file, why: thrown.message });
      return undefined;
    }
  }
}

function modulesOf({ file, project }: Pom, sources: ProjectSources): readonly RepositoryPath[] {
  const places = [project, ...descend(project, "profiles", "profile")];
  return places
    .flatMap((place) => [
      ...descend(place, "modules", "module"),
      ...descend(place, "subprojects", "subproject"),
    ])
    .flatMap(({ value }) => (value ? fileAt(posix.dirname(file), value.text, sources) : []));
}

/** By default the directory above; an empty `relativePath` says that the parent comes from elsewhere. */
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

/** A POM, or the directory of one, as far as it is in the repository. */
function fileAt(
  directory: string,
  path: string,
  sources: ProjectSources,
): readonly RepositoryPath[] {
  const joined = posix.join(directory, path.replaceAll("\\", "/"));
  if (joined.startsWith("..")) return [];
  return existing(sources, [joined, posix.join(joined, POM)]);
}
