/** Writes entries of mix.lock as Mix does. */
import { compareText, replaced } from "../../../text/text.js";
import { LockFallback } from "../../lock/refresh.js";
import type { MovedHex } from "../resolve.js";
import { asHexWrites } from "../versions.js";
import type { HexNeed, MixEntry } from "./read.js";

export interface NewEntry extends MovedHex {
  /** Its build tools. */
  readonly tools: readonly string[];
}

/** The lock with these entries, replaced or inserted in order. @throws LockFallback */
export function writeMixLock(
  text: string,
  entries: readonly MixEntry[],
  moved: readonly NewEntry[],
): string {
  const old = new Map(entries.map((entry) => [entry.app, entry]));
  const isMix = /^%\{\n(?: {2}"[^\n]*,\n)*\}\n$/.test(text);
  const edits = moved
    .toSorted((a, b) => (a.app < b.app ? -1 : 1))
    .map((one) => {
      const value = tuple(one);
      const entry = old.get(one.app);
      if (entry) return { range: entry.range, text: value };
      if (!isMix)
        throw new LockFallback(`${one.app} comes in, and the lock is not as Mix writes it`);
      const next = entries.find(({ app }) => app > one.app);
      const start = next ? next.start - 2 : text.length - 2;
      return { range: { start, end: start }, text: `  ${JSON.stringify(one.app)}: ${value},\n` };
    });
  return replaced(text, joined(edits));
}

interface TextEdit {
  readonly range: { readonly start: number; readonly end: number };
  readonly text: string;
}

/** Merges edits of one position. */
const joined = (edits: readonly TextEdit[]): readonly TextEdit[] =>
  [...Map.groupBy(edits, ({ range }) => range.start).values()].map((group) => ({
    range: (group[0] as TextEdit).range,
    text: group.map(({ text }) => text).join(""),
  }));

function tuple({ app, name, repo, release, tools }: NewEntry): string {
  const { version, inner, outer } = release;
  if (inner === "" || outer === "")
    throw new LockFallback(`the registry has no checksums of ${app} ${version}`);
  const managers = [...new Set(tools)].toSorted(compareText).map(atom);
  const needs = release.needs.toSorted((a, b) => compareText(a.app, b.app)).map(written);
  return `{:hex, ${atom(name)}, "${version}", "${inner}", [${managers.join(", ")}], [${needs.join(", ")}], "${repo}", "${outer}"}`;
}

function written({ app, name, requirement, repo, optional }: HexNeed): string {
  const words = asHexWrites(requirement);
  if (words === undefined)
    throw new LockFallback(`${app} is needed in words that Hex does not read, ${requirement}`);
  return `{${atom(app)}, "${words}", [hex: ${atom(name)}, repo: ${JSON.stringify(repo)}, optional: ${optional}]}`;
}

const atom = (name: string): string =>
  /^[A-Za-z_]\w*[?!]?$/.test(name) ? `:${name}` : `:${JSON.stringify(name)}`;
