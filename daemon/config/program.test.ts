/** What holds for every configuration. */
import { inspect } from "node:util";
import test from "ava";
import fc from "fast-check";
import { format } from "../../grammar/format.js";
import { render } from "../../grammar/render.js";
import { toJson } from "../../grammar/to-json.js";
import { runs } from "../../tests/support/runs.js";
import { explainValue } from "./explain/explain.js";
import { plan } from "./plan.js";
import type { Loaded, Program } from "./program.js";
import { resolveSecrets } from "./secrets.js";
import { CONTENT, configuration } from "./testing/arbitrary.js";
import { loadFiles } from "./testing/load-files.js";
import { outlineOf, outlineOfPlan } from "./testing/outline.js";

const resolver = (): Promise<string> => Promise.resolve(CONTENT);

/** All printable parts of a program. */
function printed(program: Program): string {
  const explained = [...program.blocks.values()].flatMap(({ key, values }) =>
    [key, ...Object.keys(values).map((name) => `${key}.${name}`)].map((path) =>
      explainValue(program, path),
    ),
  );
  return [
    JSON.stringify([...program.blocks.values()]),
    inspect(program, { depth: 20, showHidden: true }),
    outlineOf(program),
    inspect(explained, { depth: 20 }),
    outlineOfPlan(plan(undefined, program)),
  ].join("\n");
}

const complained = ({ diagnostics, sources }: Loaded): string =>
  render(diagnostics, sources) + JSON.stringify(diagnostics.map((each) => toJson(each, sources)));

/** The content, and what functions make of it. */
const shapes = [
  CONTENT,
  CONTENT.toLowerCase(),
  Buffer.from(CONTENT).toString("base64"),
  Buffer.from(CONTENT).toString("hex"),
];

test("no program prints a secret anywhere", async (t) => {
  t.timeout(90_000);
  let resolvedPrograms = 0;
  await fc.assert(
    fc.asyncProperty(configuration, async (text) => {
      const loaded = await loadFiles(text, { TOKEN: CONTENT });
      const all = [complained(loaded)];
      if (loaded.program) {
        const { program, diagnostics } = await resolveSecrets(loaded.program, resolver);
        all.push(printed(loaded.program), JSON.stringify(diagnostics));
        if (program) {
          resolvedPrograms += 1;
          all.push(printed(program), JSON.stringify(plan(loaded.program, program)));
        }
      }
      for (const shape of shapes) t.false(all.join("\n").includes(shape), text);
    }),
    { numRuns: runs(40, 300) },
  );
  t.true(resolvedPrograms > runs(4, 50));
});

test("no configuration makes loading throw, and a program comes with no errors", async (t) => {
  t.timeout(90_000);
  await fc.assert(
    fc.asyncProperty(
      configuration,
      fc.array(fc.tuple(fc.nat(), fc.string({ maxLength: 3 })), { maxLength: 4 }),
      async (text, edits) => {
        let broken = text;
        for (const [at, insert] of edits) {
          const location = at % (broken.length + 1);
          broken = broken.slice(0, location) + insert + broken.slice(location + 1);
        }
        const { program, diagnostics } = await loadFiles(broken);
        t.is(
          program === undefined,
          diagnostics.some(({ severity }) => severity === "error"),
        );
        for (const { location, message } of diagnostics) {
          t.true(
            (message.length > 0 && !message.includes("undefined")) || broken.includes("undefined"),
            message,
          );
          t.true(
            location === undefined ||
              (location.start >= 0 &&
                location.start <= location.end &&
                location.end <= broken.length),
          );
        }
      },
    ),
    { numRuns: runs(40, 300) },
  );
});

test("the same text gives the same program", async (t) => {
  t.timeout(90_000);
  await fc.assert(
    fc.asyncProperty(configuration, async (text) => {
      const [one, other] = [await loadFiles(text), await loadFiles(text)];
      t.deepEqual(one.diagnostics, other.diagnostics);
      t.is(one.program?.sourceHash, other.program?.sourceHash);
      if (one.program && other.program) t.is(outlineOf(one.program), outlineOf(other.program));
    }),
    { numRuns: runs(20, 100) },
  );
});

test("a plan from a program to itself, or to the same text laid out anew, changes nothing", async (t) => {
  t.timeout(90_000);
  let programs = 0;
  await fc.assert(
    fc.asyncProperty(configuration, async (text) => {
      const { program } = await loadFiles(text);
      if (!program) return;
      programs += 1;
      const formatted = format(text);
      const again = await loadFiles("text" in formatted ? `# moved\n\n${formatted.text}` : text);
      const { program: resolved } = await resolveSecrets(program, resolver);
      for (const next of [program, again.program, resolved]) {
        const { changes } = plan(program, next as Program);
        t.true(
          changes.every(({ action, reasons }) => action === "unchanged" && reasons.length === 0),
          text,
        );
      }
    }),
    { numRuns: runs(30, 200) },
  );
  t.true(programs > runs(4, 50));
});

test("a plan names every block of both programs once", async (t) => {
  t.timeout(90_000);
  await fc.assert(
    fc.asyncProperty(configuration, configuration, async (one, other) => {
      const [before, after] = [(await loadFiles(one)).program, (await loadFiles(other)).program];
      if (!before || !after) return;
      const { changes, summary } = plan(before, after);
      const keys = new Set([...before.blocks.keys(), ...after.blocks.keys()]);
      t.deepEqual(changes.map(({ key }) => key).sort(), [...keys].sort());
      t.is(
        Object.values(summary).reduce((sum, count) => sum + count),
        keys.size,
      );
      for (const { key, action } of changes) {
        t.is(action === "added", !before.blocks.has(key));
        t.is(action === "removed", !after.blocks.has(key));
      }
    }),
    { numRuns: runs(20, 100) },
  );
});
