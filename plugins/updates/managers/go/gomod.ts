/** go.mod read with places: what it requires, replaces and excludes, and which Go it is for. */

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
  /** `1.21`; undefined where it does not say. */
  readonly go: string | undefined;
  readonly requirements: readonly GoRequirement[];
  /** Module → what stands for it, in the file's words. */
  readonly replaced: ReadonlyMap<string, string>;
  /** `path@version`. */
  readonly excluded: ReadonlySet<string>;
  readonly retracted: readonly Retraction[];
}

/** From the first to the last version, both included, and why. */
interface Retraction {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** What is not understood is passed over, as newer versions of Go bring new words. */
export function readGoMod(text: string): GoMod {
  let module = "";
  let go: string | undefined;
  const requirements: GoRequirement[] = [];
  const replaced = new Map<string, string>();
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
    const rest = block === undefined ? words.slice(1) : words;
    const [one, two] = rest.map((word) => bare(word[0]));
    if (verb === "module" && one !== undefined) module = one;
    if (verb === "go") go = one;
    if (verb === "exclude" && two !== undefined) excluded.add(`${one}@${two}`);
    if (verb === "replace" && one !== undefined)
      replaced.set(one, stands(rest.map((word) => word[0])));
    if (verb === "retract" && one !== undefined)
      retracted.push(retraction(rest.map((word) => word[0]).join(" "), comment));
    const place = rest[1];
    if (verb !== "require" || one === undefined || two === undefined || !place) continue;
    const start =
      index + (whole.startsWith("\uFEFF") ? 1 : 0) + place.index + (place[0] === two ? 0 : 1);
    requirements.push({
      path: one,
      version: two,
      range: { start, end: start + two.length },
      indirect: /^\s*indirect\b/.test(comment),
    });
  }
  return { module, go, requirements, replaced, excluded, retracted };
}

const bare = (word: string): string => word.replace(/^(["`])(.*)\1$/, "$2");

const stands = (words: readonly string[]): string => words.slice(words.indexOf("=>") + 1).join(" ");

function retraction(text: string, comment: string): Retraction {
  const [, from = text, to = from] = /^\[\s*([^\s,]+)\s*,\s*([^\s\]]+)\s*\]/.exec(text) ?? [];
  return { from, to, why: comment.trim() || "retracted by its authors" };
}

/** Modules of a go.work, as directories. */
export function readGoWork(text: string): readonly string[] {
  const uses: string[] = [];
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    const code = line.replace(/\/\/.*$/, "").trim();
    if (code === ")") inside = false;
    else if (/^use\s*\($/.test(code)) inside = true;
    else if (inside && code !== "") uses.push(bare(code));
    else {
      const [, one] = /^use\s+(\S+)$/.exec(code) ?? [];
      if (one !== undefined) uses.push(bare(one));
    }
  }
  return uses;
}

import type { TextRange } from "../../text/text.js";
