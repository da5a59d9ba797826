/** go.mod and go.work: requirements with their ranges, replacements, exclusions and retractions. */
import { posix } from "node:path";
import type { TextRange } from "../../text/text.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { configuredUrl } from "../origin.js";
import { existing, insideOf, within } from "../paths.js";
import { sumFile } from "./lockfile.js";
import { goVersioning } from "./versions.js";

/** The go.mod files of the directory: its own, and those that its go.work names. */
export function moduleFiles(sources: ProjectSources): readonly RepositoryPath[] {
  const work = sources.files.get(within(sources.directory, "go.work"));
  const used = work === undefined ? [] : readGoWork(work);
  const files = ["go.mod", ...used.map((directory) => posix.join(directory, "go.mod"))];
  return existing(sources, [...new Set(files.map((file) => within(sources.directory, file)))]);
}

export function goWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const work = within(sources.directory, "go.work");
  const modules = moduleFiles(sources);
  const vendored = modules.map((file) => posix.join(posix.dirname(file), "vendor/modules.txt"));
  return existing(sources, [work, ...modules, ...modules.map(sumFile), ...vendored]);
}

interface RequiredModule {
  /** Versions that a go.mod excludes. */
  readonly excluded: Set<string>;
  readonly declarations: Declaration[];
  readonly versions: string[];
  replacement: string | undefined;
}

export function goParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const groups = new Map<string, RequiredModule>();
  const modules: GoMod[] = [];
  const work = sources.files.get(within(sources.directory, "go.work"));
  // A replacement in go.work applies to all modules of the workspace.
  const replacements = work === undefined ? undefined : readGoMod(work).replaced;
  for (const file of moduleFiles(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const module = readGoMod(text);
    modules.push(module);
    for (const { path, version, range, indirect } of module.requirements) {
      const group: RequiredModule = groups.get(path) ?? {
        ...{ excluded: new Set(), declarations: [], versions: [], replacement: undefined },
      };
      groups.set(path, group);
      group.versions.push(version);
      for (const excluded of module.excluded)
        if (excluded.startsWith(`${path}@`)) group.excluded.add(excluded.slice(path.length + 1));
      group.replacement = replacements?.get(path) ?? module.replaced.get(path) ?? group.replacement;
      if (!indirect)
        group.declarations.push({
          ...{ file, range, requirement: version, section: "require", development: false },
        });
    }
  }
  const targets = moduleFiles(sources).flatMap((file) => {
    const text = sources.files.get(file);
    return text === undefined ? [] : replacementTargets(file, text, settings);
  });
  const own = new Set(modules.map(({ module }) => module));
  const root = within(sources.directory, "go.mod");
  const dependencies = [...groups]
    .filter(([path]) => !own.has(path))
    .map(([path, { declarations, versions, replacement, excluded }]): Dependency => {
      const current = versions.filter(goVersioning.isVersion).toSorted(goVersioning.compare)[0];
      return {
        ...{ id: path, name: path, declarations, development: false, current },
        origin:
          replacement === undefined
            ? { kind: "registry", url: proxyFor(path, settings) }
            : { kind: "none", why: `${path} is replaced by ${replacement}.` },
        ...(excluded.size === 0 ? {} : { extra: { excluded: [...excluded].join(" ") } }),
        // Go itself maintains the line of an indirect module in go.mod.
        ...(declarations.length === 0 ? { lockedBy: root } : {}),
      };
    });
  const go = modules[0]?.go;
  return {
    dependencies: [...dependencies, ...targets],
    runtime: go === undefined ? {} : { go },
    broken: [],
  };
}

/** Modules that replace others. One that replaces itself pins a version, and stays. */
const replacementTargets = (
  file: RepositoryPath,
  text: string,
  settings: ManagerSettings,
): readonly Dependency[] =>
  readGoMod(text)
    .targets.filter(({ path, replaces }) => path !== replaces)
    .map(({ path, version, range, replaces }) => ({
      ...{ id: `${path} for ${replaces} in ${file}`, name: path, current: version },
      origin: { kind: "registry", url: proxyFor(path, settings) },
      declarations: [{ file, range, requirement: version, section: REPLACE, development: false }],
      development: false,
    }));

export const REPLACE = "replace";

export const PUBLIC_PROXY = "https://proxy.golang.org";

/** A scope is a prefix of whole path elements. */
export const proxyFor = (path: string, settings: ManagerSettings): string =>
  configuredUrl(
    settings,
    "go_modules",
    (scope = "") => scope === "" || `${path}/`.startsWith(`${insideOf(scope)}/`),
  ) ?? PUBLIC_PROXY;

interface GoRequirement {
  readonly path: string;
  readonly version: string;
  /** Of the version. */
  readonly range: TextRange;
  /** `// indirect`: no package of this module imports it. */
  readonly indirect: boolean;
}

export interface GoMod {
  readonly module: string;
  /** `1.21`; undefined without a go directive. */
  readonly go: string | undefined;
  readonly requirements: readonly GoRequirement[];
  /** Module → its replacement, as written. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Replacements that are versions of a module. */
  readonly targets: readonly (Omit<GoRequirement, "indirect"> & { readonly replaces: string })[];
  /** `path@version`. */
  readonly excluded: ReadonlySet<string>;
  readonly retracted: readonly Retraction[];
}

/** From the first to the last version, inclusive. */
interface Retraction {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** Skips what it does not know, since newer versions of Go add directives. */
export function readGoMod(text: string): GoMod {
  let module = "";
  let go: string | undefined;
  const requirements: GoRequirement[] = [];
  const replaced = new Map<string, string>();
  const targets: GoMod["targets"][number][] = [];
  const excluded = new Set<string>();
  const retracted: Retraction[] = [];
  let block: string | undefined;

  for (const { 0: whole, index } of text.matchAll(/^.*$/gm)) {
    const [, code = "", comment = ""] = /^[\uFEFF]?(.*?)(?:\/\/(.*?))?\r?$/.exec(whole) ?? [];
    const words = [...code.matchAll(/"[^"]*"|`[^`]*`|\[[^\]]*\]|[()]|[^\s()]+/g)];
    const [first] = words;
    if (!first) continue;
    if (first[0] === ")") {
      block = undefined;
      continue;
    }
    if (words[1]?.[0] === "(") {
      block = first[0];
      continue;
    }
    const verb = block ?? first[0];
    const operands = block === undefined ? words.slice(1) : words;
    const texts = operands.map((word) => word[0]);
    const [one, two] = texts.map(unquoted);
    if (verb === "module" && one !== undefined) module = one;
    if (verb === "go") go = one;
    if (verb === "exclude" && two !== undefined) excluded.add(`${one}@${two}`);
    if (verb === "replace" && one !== undefined) {
      const arrow = texts.indexOf("=>");
      const [path = "", version = ""] = texts.slice(arrow + 1).map(unquoted);
      replaced.set(one, texts.slice(arrow + 1).join(" "));
      const word = operands[arrow + 2];
      if (word && arrow > 0 && goVersioning.isVersion(version))
        targets.push({ path, version, replaces: one, range: rangeOf(word, version) });
    }
    if (verb === "retract" && one !== undefined)
      retracted.push(retraction(texts.join(" "), comment));
    const version = operands[1];
    if (verb !== "require" || one === undefined || two === undefined || !version) continue;
    requirements.push({
      path: one,
      version: two,
      range: rangeOf(version, two),
      indirect: /^\s*indirect\b/.test(comment),
    });

    function rangeOf(word: RegExpExecArray, value: string): TextRange {
      const start =
        index + (whole.startsWith("\uFEFF") ? 1 : 0) + word.index + (word[0] === value ? 0 : 1);
      return { start, end: start + value.length };
    }
  }
  return { module, go, requirements, replaced, targets, excluded, retracted };
}

const unquoted = (word: string): string => word.replace(/^(["`])(.*)\1$/, "$2");

function retraction(text: string, comment: string): Retraction {
  const [, from = text, to = from] = /^\[\s*([^\s,]+)\s*,\s*([^\s\]]+)\s*\]/.exec(text) ?? [];
  return { from, to, why: comment.trim() || "retracted by its authors" };
}

/** Directories of the modules in a go.work. */
function readGoWork(text: string): readonly string[] {
  const directories: string[] = [];
  let isInBlock = false;
  for (const line of text.split(/\r?\n/)) {
    const code = line.replace(/\/\/.*$/, "").trim();
    const [, single] = /^use\s+(\S+)$/.exec(code) ?? [];
    if (code === ")") isInBlock = false;
    else if (/^use\s*\($/.test(code)) isInBlock = true;
    else if (isInBlock && code !== "") directories.push(unquoted(code));
    else if (single !== undefined) directories.push(unquoted(single));
  }
  return directories;
}
