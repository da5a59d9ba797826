/** Applies the fixes of diagnostics, round by round. Writes nothing. */
import { resolve } from "node:path";
import type { Loaded } from "../../daemon/config/program.js";
import type { Fix } from "../../grammar/diagnostic.js";
import { applySafely } from "../../grammar/fix-guard.js";
import { linesOf } from "../../grammar/index.js";
import { isSyntaxCode, sanitize } from "../../grammar/rendering/sanitize.js";

interface Fixed {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly title: string;
}

/** The part of a loaded configuration that fixes depend on. */
type Checked = Pick<Loaded, "diagnostics" | "sources">;

export interface Repaired<Read extends Checked = Loaded> {
  readonly fixed: readonly Fixed[];
  /** New texts by absolute path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Diagnostics after the fixes. */
  readonly rest: Read;
}

/** One fix can uncover the next; this many rounds suffice in practice. */
const ROUNDS = 10;

/**
 * `read` loads the configuration with these texts, by absolute path, instead of those on disk. Fixes that leave as many
 * diagnostics as there were are not applied.
 */
export async function repaired<Read extends Checked>(
  read: (texts: ReadonlyMap<string, string>) => Promise<Read>,
): Promise<Repaired<Read>> {
  let best: Repaired<Read> = { fixed: [], texts: new Map(), rest: await read(new Map()) };
  let last = best;
  for (let round = 0; round < ROUNDS; round += 1) {
    const texts = new Map(last.texts);
    const applied = fixesIn(last.rest).flatMap(([path, fixes]) =>
      applyIn(last.rest, path, fixes, texts),
    );
    if (applied.length === 0) break;
    last = { fixed: [...last.fixed, ...applied], texts, rest: await read(texts) };
    if (isBetter(last.rest, best.rest)) best = last;
  }
  return best;
}

/** Whether there are fewer syntax errors, or as many and fewer diagnostics in all. */
function isBetter(after: Checked, before: Checked): boolean {
  const fewer = syntaxErrors(after) - syntaxErrors(before);
  return fewer < 0 || (fewer === 0 && after.diagnostics.length < before.diagnostics.length);
}

const syntaxErrors = ({ diagnostics }: Checked): number =>
  diagnostics.filter(({ code }) => isSyntaxCode(code)).length;

/** Fixes by the file they are in; one that spans several files, or JSON, is skipped. */
function fixesIn({
  diagnostics,
  sources,
}: Checked): ReadonlyArray<readonly [string, readonly Fix[]]> {
  const fixes = sanitize(diagnostics, sources).flatMap(({ fix }) => {
    const [first, ...others] = fix?.edits ?? [];
    if (!fix || !first?.file.endsWith(".reeve")) return [];
    return others.every(({ file }) => file === first.file) ? [[first.file, fix] as const] : [];
  });
  return [...Map.groupBy(fixes, ([file]) => file)].map(
    ([file, found]) => [file, found.map(([, fix]) => fix)] as const,
  );
}

/** Applies what does no harm, into `texts`. */
function applyIn(
  { sources }: Checked,
  file: string,
  fixes: readonly Fix[],
  texts: Map<string, string>,
): readonly Fixed[] {
  const source = sources.get(file);
  if (!source) return [];
  const { text, taken } = applySafely(source.text, fixes);
  if (taken.length === 0) return [];
  texts.set(resolve(file), text);
  const lines = linesOf(source);
  return taken.map(({ title, edits: [edit] }) => {
    const { line, column } = lines.position(edit?.start ?? 0);
    return { file, line, column, title };
  });
}
