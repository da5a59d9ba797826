/** `reeve fix`: repairs that need no thinking. */
import { resolve } from "node:path";
import type { Loaded } from "../../daemon/config/program.js";
import type { Fix } from "../../grammar/diagnostic.js";
import { applyFixes, linesOf, parse, render, tidied } from "../../grammar/index.js";
import { defineCommand, flag, json } from "../command.js";
import { fileArgument, loadConfiguration, rootFile, shownPath } from "../configuration.js";
import { exitFor } from "../diagnostics/exit-for.js";
import { Exit } from "../exit.js";
import { replaceFile } from "../files/write.js";

export const command = defineCommand({
  description:
    "Applies the fixes that `reeve check` shows: names that are misspelt or have changed, signs of other languages. " +
    "Comments and everything else stay as they are.",
  arguments: [fileArgument],
  options: { check: flag("write nothing; say what would be fixed"), json },
  examples: [
    { command: "reeve fix", does: "repairs ./main.reeve and what it imports" },
    { command: "reeve fix --check", does: "in CI: fails when there is something to repair" },
  ],
  exits: {
    [Exit.findings]: "with --check: there is something to fix; without: a test still fails",
    [Exit.noInput]: "there is no such file",
    [Exit.cannotCreate]: "a file cannot be written",
    [Exit.configuration]: "what is left needs a person; see `reeve check`",
  },
  async run({ arguments: [file], options: { check, json: asJson }, output }) {
    const root = rootFile(file);
    const { fixed, texts, rest } = await repaired(root);
    if (!check) for (const [path, text] of texts) await replaceFile(path, text);
    const left = rest.diagnostics.filter(({ severity }) => severity !== "info").length;
    if (asJson)
      output.json({ fixes: fixed, files: [...texts.keys()].map((path) => shownPath(path)), left });
    else {
      for (const { file, line, column, title } of fixed) {
        output.out.line(`${file}:${line}:${column}: ${title}`);
      }
      if (fixed.length === 0) output.err.line("There is nothing to fix.");
      if (left > 0)
        output.err.write(render(rest.diagnostics, rest.sources, { colour: output.err.colour }));
    }
    return check && fixed.length > 0 ? Exit.findings : exitFor(rest.diagnostics);
  },
});

interface Fixed {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly title: string;
}

interface Repaired {
  readonly fixed: readonly Fixed[];
  /** New texts by absolute path. */
  readonly texts: ReadonlyMap<string, string>;
  /** What is found after the repair. */
  readonly rest: Loaded;
}

/** One repair can uncover the next; this many rounds are enough for what people write. */
const ROUNDS = 10;

async function repaired(root: string): Promise<Repaired> {
  const fixed: Fixed[] = [];
  const texts = new Map<string, string>();
  let loaded = await loadConfiguration(root);
  for (let round = 0; round < ROUNDS; round += 1) {
    const applied = fixesIn(loaded).flatMap(([path, fixes]) => applyIn(loaded, path, fixes, texts));
    if (applied.length === 0) break;
    fixed.push(...applied);
    loaded = await loadConfiguration(root, { overlay: texts });
  }
  return { fixed, texts, rest: loaded };
}

/** Fixes by the file they are in; one that reaches into several files, or JSON, is left to a person. */
function fixesIn({
  diagnostics,
  sources,
}: Loaded): ReadonlyArray<readonly [string, readonly Fix[]]> {
  const fixes = tidied(diagnostics, sources).flatMap(({ fix }) => {
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
