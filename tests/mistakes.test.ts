/**
 * The quality of diagnostics, graded over the mistakes in `tests/mistakes/`. A case is a line `=== TITLE: CODE ADVICE` and a
 * text in which ⟦ and ⟧ enclose what the caret has to show. Full marks: one diagnostic, its range, its code and its advice.
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
  readonly start: number;
  readonly end: number;
}

const cases = globSync("tests/mistakes/*.txt").sort().flatMap(casesIn);

function casesIn(file: string): readonly Case[] {
  const [, ...sections] = readFileSync(file, "utf8").split(/^=== /m);
  return sections.map((section) => {
    const [, title = "", code = "", advice = "", marked = ""] =
      /^(.+?): ([\w.]+) (.+)\n([\s\S]*)$/.exec(section) ?? [];
    const text = marked.replace(/[⟦⟧]/g, "").trimEnd();
    const start = marked.indexOf("⟦");
    const end = marked.indexOf("⟧") - 1;
    return {
      ...{ title: `${basename(file, ".txt")}: ${title}`, code, advice },
      ...{ text: `${text}\n`, start, end },
    };
  });
}

test("there are cases, each with a range and advice", (t) => {
  t.true(cases.length >= 140, String(cases.length));
  t.deepEqual(
    cases.filter(({ advice, start, end }) => advice === "" || start < 0 || end < start),
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
    const [first, ...others] = sanitize(diagnostics, sources);
    const said = [first?.message, first?.label, first?.help, first?.fix?.title].join("\n");
    const { start, end } = first?.location ?? { start: -1, end: -1 };
    const shown = each.text.slice(start, end);
    const wrong = [
      ...(others.length > 0 || !first ? [`${others.length + (first ? 1 : 0)} diagnostics`] : []),
      ...(start === each.start && end === each.end ? [] : [`caret at ${start}: ${shown}`]),
      ...(first?.code === each.code ? [] : [`code ${first?.code}`]),
      ...(said.includes(each.advice) ? [] : [`advice: ${said.trim().replaceAll("\n", " / ")}`]),
    ];
    if (wrong.length > 0) faults.push(`${each.title}: ${wrong.join("; ")}`);
  }
  const share = 1 - faults.length / cases.length;
  t.log(`${(share * 100).toFixed(1)} % of ${cases.length} mistakes get full marks`);
  t.true(share >= BAR, `${(share * 100).toFixed(1)} %\n${faults.join("\n")}`);
});
