/**
 * The quality of diagnostics, graded over the mistakes in `tests/mistakes/`. A case is a line `=== TITLE: CODE ADVICE` and a
 * text in which ⟦ and ⟧ enclose what the caret has to show. Full marks: one diagnostic, its range, its code and its advice. A
 * text with several marks has as many mistakes of one kind.
 */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import test from "ava";
import { createCatalog } from "../daemon/catalog/catalog.js";
import { load } from "../daemon/config/load.js";
import { MAIN, memoryDisk } from "../daemon/config/testing/memory-disk.js";
import { sanitize } from "../grammar/index.js";

/** The share of mistakes that must get full marks. */
const BAR = 0.95;

interface Case {
  readonly title: string;
  readonly code: string;
  readonly advice: string;
  readonly text: string;
  /** Half-open ranges in the text. */
  readonly ranges: ReadonlyArray<readonly [start: number, end: number]>;
}

const cases = globSync("tests/mistakes/*.txt").sort().flatMap(casesIn);

function casesIn(file: string): readonly Case[] {
  const [, ...sections] = readFileSync(file, "utf8").split(/^=== /m);
  return sections.map((section) => {
    const [, title = "", code = "", advice = "", marked = ""] =
      /^(.+?): ([\w.]+) (.+)\n([\s\S]*)$/.exec(section) ?? [];
    const text = marked.replace(/[⟦⟧]/g, "").trimEnd();
    // Every mark before an offset counts as a character.
    const marks = [...marked.matchAll(/⟦([^⟧]*)⟧/g)];
    const ranges = marks.map(({ index, 1: inner = "" }, before) => {
      const start = index - 2 * before;
      return [start, start + inner.length] as const;
    });
    return {
      ...{ title: `${basename(file, ".txt")}: ${title}`, code, advice },
      ...{ text: `${text}\n`, ranges },
    };
  });
}

test("there are cases, each with a range and advice", (t) => {
  t.true(cases.length >= 140, String(cases.length));
  t.deepEqual(
    cases.filter(({ advice, ranges }) => advice === "" || ranges.length === 0),
    [],
  );
});

test(`at least ${BAR * 100} % of the mistakes get full marks`, async (t) => {
  t.timeout(300_000);
  const catalog = createCatalog();
  t.teardown(() => catalog.close());
  const faults: string[] = [];
  for (const each of cases) {
    const files = { "main.reeve": each.text };
    const { diagnostics, sources } = await load(MAIN, {
      ...{ catalog, environment: {} },
      ...memoryDisk({ ...files, "teams.reeve": "", "shared.reeve": "" }),
    });
    const found = sanitize(diagnostics, sources);
    const wrong = found.flatMap(({ code, message, label, help, fix, location }, index) => {
      const said = [message, label, help, fix?.title].join("\n");
      const { start = -1, end = -1 } = location ?? {};
      const range = each.ranges[index];
      return [
        ...(start === range?.[0] && end === range[1]
          ? []
          : [`caret at ${start}: ${each.text.slice(start, end)}`]),
        ...(code === each.code ? [] : [`code ${code}`]),
        ...(said.includes(each.advice) ? [] : [`advice: ${said.trim().replaceAll("\n", " / ")}`]),
      ];
    });
    if (found.length !== each.ranges.length) wrong.push(`${found.length} diagnostics`);
    if (wrong.length > 0) faults.push(`${each.title}: ${wrong.join("; ")}`);
  }
  const share = 1 - faults.length / cases.length;
  t.log(`${(share * 100).toFixed(1)} % of ${cases.length} mistakes get full marks`);
  t.true(share >= BAR, `${(share * 100).toFixed(1)} %\n${faults.join("\n")}`);
});
