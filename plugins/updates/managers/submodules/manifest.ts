/** .gitmodules: the repositories that are submodules, with the range of each value. */
import type { TextRange } from "../../text/text.js";
import { readTag } from "../../versions/tag.js";
import type { Dependency, DependencyOrigin, ParsedProject, ProjectSources } from "../contract.js";

export const GITMODULES = ".gitmodules";

interface ConfigValue {
  readonly text: string;
  readonly range: TextRange;
}

interface Submodule {
  readonly path: ConfigValue;
  readonly url: ConfigValue;
  readonly branch: ConfigValue | undefined;
}

export const submoduleName = (url: string): string =>
  url
    .trim()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");

export function submodulesParse(sources: ProjectSources): ParsedProject {
  const text = sources.files.get(GITMODULES);
  const entries = text === undefined ? [] : readGitmodules(text);
  const dependencies = entries.map(({ path: { text: path }, url, branch }): Dependency => {
    const commit = sources.tree.find(
      (entry) => entry.path === path && entry.kind === "submodule",
    )?.oid;
    const address = absoluteUrl(url.text, sources.url);
    const followed = branch?.text === "." ? undefined : branch;
    const isTag = followed !== undefined && readTag(followed.text) !== undefined;
    const { range, text: requirement } = followed ?? url;
    const section = `submodule "${path}"`;
    return {
      id: path,
      name: address === undefined ? path : submoduleName(address),
      origin: originOf(path, commit, address, followed?.text),
      declarations: [{ file: GITMODULES, range, requirement, section, development: false }],
      development: false,
      current: isTag ? followed.text : commit,
      lockedBy: path,
      extra: { path, ...(commit === undefined ? {} : { commit }) },
    };
  });
  return { dependencies, runtime: {}, broken: [] };
}

function originOf(
  path: string,
  commit: string | undefined,
  url: string | undefined,
  branch: string | undefined,
): DependencyOrigin {
  if (commit === undefined)
    return { kind: "none", why: `.gitmodules names ${path}, but the tree has no submodule there.` };
  if (url === undefined)
    return { kind: "none", why: `The URL of ${path} is relative to an unknown one.` };
  return { kind: "git", url, ...(branch === undefined ? {} : { branch }) };
}

/** In the order of the file, without sections that lack a path or a URL. */
function readGitmodules(text: string): readonly Submodule[] {
  const sections = new Map<string, Map<string, ConfigValue>>();
  let section: Map<string, ConfigValue> | undefined;
  for (const { 0: line, index } of text.matchAll(/^.*$/gm)) {
    const [, name] = /^[\uFEFF\s]*\[\s*submodule\s+"((?:[^"\\]|\\.)*)"\s*\]/i.exec(line) ?? [];
    if (name !== undefined) {
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
      continue;
    }
    const [, before = "", key, quoted, bare = ""] =
      /^(\s*(\w[\w-]*)\s*=\s*)(?:"([^"\\]*)"|([^"#;\r]*?))\s*(?:[#;].*)?\r?$/.exec(line) ?? [];
    if (!section || key === undefined) continue;
    const value = quoted ?? bare;
    const start = index + before.length + (quoted === undefined ? 0 : 1);
    section.set(key.toLowerCase(), { text: value, range: { start, end: start + value.length } });
  }
  return [...sections.values()].flatMap((values) => {
    const [path, url] = [values.get("path"), values.get("url")];
    return path && url ? [{ path, url, branch: values.get("branch") }] : [];
  });
}

/** Resolves `../other.git` against the repository's own URL; undefined where that is unknown. */
export function absoluteUrl(url: string, own: string | undefined): string | undefined {
  if (!/^\.\.?\//.test(url)) return url;
  if (own === undefined) return undefined;
  const steps = url.split("/");
  let base = own.replace(/\/+$/, "").split(/(?<=[/:])/);
  while (steps[0] === "." || steps[0] === "..")
    if (steps.shift() === "..") base = base.slice(0, -1);
  return `${base.join("").replace(/\/$/, "")}${base.at(-1)?.endsWith(":") ? "" : "/"}${steps.join("/")}`;
}
