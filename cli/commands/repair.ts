/** Applies the fixes of diagnostics, round by round. Writes nothing. */
import { resolve } from "node:path";
import type { Loaded } from "../../daemon/config/program.js";
import type { Fix } from "../../grammar/diagnostic.js";
import { applyFixes, linesOf, parse, sanitize } from "../../grammar/index.js";

interface Fixed {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly title: string;
}

export interface Repaired {
  readonly fixed: readonly Fixed[];
  /** New texts by absolute path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Diagnostics after the fixes. */
  readonly rest: Loaded;
}

/** One fix can uncover the next; this many rounds suffice in practice. */
const ROUNDS = 10;

/** `read` loads the configuration with these texts, by absolute path, instead of those on disk. */
export async function repaired(
  read: (texts: ReadonlyMap<string, string>) => Promise<Loaded>,
): Promise<Repaired> {
  const fixed: Fixed[] = [];
  const texts = new Map<string, string>();
  let loaded = await read(texts);
  for (let round = 0; round < ROUNDS; round += 1) {
    const applied = fixesIn(loaded).flatMap(([path, fixes]) => applyIn(loaded, path, fixes, texts));
    if (applied.length === 0) break;
    fixed.push(...applied);
    loaded = await read(texts);
  }
  return { fixed, texts, rest: loaded };
}

/** Fixes by the file they are in; one that spans several files, or JSON, is skipped. */
function fixesIn({
  diagnostics,
  sources,
}: Loaded): ReadonlyArray<readonly [string, readonly Fix[]]> {
  const fixes = sanitize(diagnostics, sources).flatMap(({ fix }) => {
    const [first, ...others] = fix?.edits ?? [];
    if (!fix || !first?.file.endsWith(".reeve")) return [];
    return others.every(({ file }) => file === first.file) ? [[first.file, fix] as const] : [];
  });
  return [...Map.groupBy(fixes, ([file]) => file)].map(
    ([file, found]) => [file, found.map(([, fix]) => fix)] as const,
  );
}

/** Applies what fits, into `texts`; a fix that would make the text unreadable is not applied. */
function applyIn(
  { sources }: Loaded,
  file: string,
  fixes: readonly Fix[],
  texts: Map<string, string>,
): readonly Fixed[] {
  const source = sources.get(file);
  if (!source) return [];
  const faults = parse(source).diagnostics.length;
  let taken: readonly Fix[] = [];
  for (const fix of fixes) {
    const more = [...taken, fix];
    const text = textWith(source.text, more);
    const grew = text !== textWith(source.text, taken);
    if (grew && parse({ path: file, text }).diagnostics.length <= faults) taken = more;
  }
  if (taken.length === 0) return [];
  texts.set(resolve(file), textWith(source.text, taken));
  const lines = linesOf(source);
  return taken.map(({ title, edits: [edit] }) => {
    const { line, column } = lines.position(edit?.start ?? 0);
    return { file, line, column, title };
  });
}

const textWith = (text: string, fixes: readonly Fix[]): string =>
  applyFixes(
    text,
    fixes.map(({ edits }) => edits),
  );
