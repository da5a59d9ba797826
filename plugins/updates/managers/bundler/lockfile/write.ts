/** Writes Gemfile.lock with new versions: blocks of lines are replaced, added and removed; the rest stays. */

import type { MovedGem } from "../resolve.js";
import { clausesOf } from "../versions.js";
import type { GemLock, GemLockSection, GemNeed } from "./read.js";

export interface NewLock {
  readonly moved: ReadonlyMap<string, MovedGem>;
  readonly kept: ReadonlySet<string>;
  /** Changed requirements of the project, by name. */
  readonly direct: ReadonlyMap<string, string>;
  /** Changed requirements of local gems, by name. */
  readonly own: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function writeGemLock(old: string, lock: GemLock, changed: NewLock): string {
  const lines = lock.sections.flatMap((section, index) => sectionLines(section, index, changed));
  const text = lines.join(old.includes("\r\n") ? "\r\n" : "\n");
  return old.startsWith("\uFEFF") ? `\uFEFF${text}` : text;
}

function sectionLines(section: GemLockSection, index: number, changed: NewLock): readonly string[] {
  const { title, lines } = section;
  if (title === "GEM") return gemLines(lines, index, changed);
  if (title === "PATH") return ownLines(lines, changed.own);
  if (title === "DEPENDENCIES") return lines.map((line) => directLine(line, changed.direct));
  if (title === "CHECKSUMS") return checksumLines(lines, changed);
  return lines;
}

interface Block {
  /** The sort key of blocks: `name-1.0-java`. */
  readonly key: string;
  readonly lines: readonly string[];
}

const keyOf = (name: string, version: string, platform: string): string =>
  `${name}-${version}${platform === "ruby" ? "" : `-${platform}`}`;

function gemLines(
  lines: readonly string[],
  index: number,
  { moved, kept }: NewLock,
): readonly string[] {
  const start = lines.findIndex((line) => /^ {4}\S/.test(line));
  const specs = lines.indexOf("  specs:");
  const head = start < 0 ? specs + 1 : start;
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  const old: (Block & { name: string })[] = [];
  for (const line of lines.slice(head, end)) {
    const [, name, whole] = /^ {4}([^\s(]+) \(([^)]+)\)/.exec(line) ?? [];
    const last = old.at(-1);
    if (name !== undefined) old.push({ name, key: `${name}-${whole}`, lines: [line] });
    else if (last) old[old.length - 1] = { ...last, lines: [...last.lines, line] };
  }
  const names = new Set(old.map(({ name }) => name));
  const mine = [...moved.values()].filter((gem) => gem.section === index && kept.has(gem.name));
  const blocks: Block[] = old.filter(({ name }) => kept.has(name) && !moved.has(name));
  for (const { name, version, variants } of mine)
    for (const { platform, needs } of variants)
      blocks.push({
        key: keyOf(name, version, platform),
        lines: specLines(name, version, platform, needs),
      });
  if (mine.length === 0 && blocks.length === old.length && names.size > 0) return lines;
  return [
    ...lines.slice(0, head),
    ...sorted(blocks).flatMap((block) => block.lines),
    ...lines.slice(end),
  ];
}

const sorted = (blocks: readonly Block[]): readonly Block[] =>
  blocks.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

function specLines(
  name: string,
  version: string,
  platform: string,
  needs: readonly GemNeed[],
): readonly string[] {
  const head = `    ${name} (${version}${platform === "ruby" ? "" : `-${platform}`})`;
  const needed = needs.map((need) => `      ${needText(need.name, need.requirement)}`);
  return [head, ...new Set(needed.toSorted())];
}

/** `x (>= 1, < 2)` in Bundler's order, the last clause first. */
function needText(name: string, requirement: string): string {
  const clauses = (clausesOf(requirement) ?? []).map(
    ({ operator, version }) => `${operator} ${version}`,
  );
  if (clauses.length === 0 || clauses.join() === ">= 0") return name;
  return `${name} (${[...new Set(clauses)].toSorted().toReversed().join(", ")})`;
}

function directLine(line: string, direct: ReadonlyMap<string, string>): string {
  const [, name = "", pinned = ""] = /^ {2}([^\s(!]+)(?: \([^)]*\))?(!?)$/.exec(line) ?? [];
  const requirement = direct.get(name);
  return requirement === undefined ? line : `  ${needText(name, requirement)}${pinned}`;
}

function ownLines(lines: readonly string[], own: NewLock["own"]): readonly string[] {
  let gem = "";
  return lines.map((line) => {
    const [, spec] = /^ {4}([^\s(]+) \(/.exec(line) ?? [];
    if (spec !== undefined) gem = spec;
    const [, needed = ""] = /^ {6}([^\s(!]+)/.exec(line) ?? [];
    const requirement = own.get(gem)?.get(needed);
    return requirement === undefined ? line : `      ${needText(needed, requirement)}`;
  });
}

function checksumLines(lines: readonly string[], { moved, kept }: NewLock): readonly string[] {
  const [title = "", ...rest] = lines;
  const entries = rest.filter((line) => line.trim() !== "");
  const blocks = entries.flatMap((line): readonly Block[] => {
    const [, name = "", whole = ""] = /^ {2}([^\s(]+) \(([^)]+)\)/.exec(line) ?? [];
    const stays = name === "bundler" || (kept.has(name) && !moved.has(name));
    return !stays ? [] : [{ key: `${name}-${whole}`, lines: [line] }];
  });
  for (const { name, version, variants, checksums } of moved.values())
    for (const { platform } of kept.has(name) ? variants : []) {
      const sum = checksums.get(platform);
      const head = `  ${name} (${version}${platform === "ruby" ? "" : `-${platform}`})`;
      const line = sum === undefined ? head : `${head} sha256=${sum}`;
      blocks.push({ key: keyOf(name, version, platform), lines: [line] });
    }
  const end = lines.slice(1 + entries.length);
  return [title, ...sorted(blocks).flatMap((block) => block.lines), ...end];
}
