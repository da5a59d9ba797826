/** .gitmodules: which repositories hang where, with the place of each value. */

interface Value {
  readonly text: string;
  readonly range: TextRange;
}

export interface Submodule {
  readonly name: string;
  readonly path: Value;
  readonly url: Value;
  readonly branch: Value | undefined;
}

/** In the order of the file; what has no path or address is none. */
export function readGitmodules(text: string): readonly Submodule[] {
  const sections = new Map<string, Map<string, Value>>();
  let section: Map<string, Value> | undefined;
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
  return [...sections].flatMap(([name, values]) => {
    const [path, url] = [values.get("path"), values.get("url")];
    return path && url ? [{ name, path, url, branch: values.get("branch") }] : [];
  });
}

/** `../other.git` seen from where the repository itself is; undefined where that is not known. */
export function addressOf(url: string, own: string | undefined): string | undefined {
  if (!/^\.\.?\//.test(url)) return url;
  if (own === undefined) return undefined;
  const steps = url.split("/");
  const base = own.replace(/\/+$/, "").split(/(?<=[/:])/);
  let parts = base.map((part) => part);
  while (steps[0] === "." || steps[0] === "..")
    if (steps.shift() === "..") parts = parts.slice(0, -1);
  return `${parts.join("").replace(/\/$/, "")}${parts.at(-1)?.endsWith(":") ? "" : "/"}${steps.join("/")}`;
}

import type { TextRange } from "../../text/text.js";
