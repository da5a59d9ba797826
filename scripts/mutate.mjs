// Mutation tests: `npm run mutate -- [--areas reload,runs] [--count 300] [--seed 1] [--files '**/retry.ts']`. Changes one place of
// the compiled code at a time, in a copy of the project, and runs the tests that execute it, nearest first, until one fails. Prints
// each mutant that no test kills. `--minutes 30` ends early: the order is by chance, so the part is a sample as well. `--again` tries
// only what survived last; `--check` only compares the list of equivalent mutants with the code.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import json5 from "json5";

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."));
const { AREAS } = await import("./mutate/areas.mjs");
const { candidatesOf, isEntryOf, sampled } = await import("./mutate/candidates.mjs");
const { CACHE, ProjectCopy } = await import("./mutate/copy.mjs");
const { Tests } = await import("./mutate/tests.mjs");

const EQUIVALENT = "tests/mutants/equivalent.json5";
const BAR = 0.9;

const { values } = parseArgs({
  options: {
    areas: { type: "string", default: Object.keys(AREAS).join(",") },
    files: { type: "string", default: "**" },
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "Infinity" },
    tests: { type: "string", default: "6" },
    again: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});
const areas = values.areas.split(",");
const unknown = areas.filter((name) => !(name in AREAS));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no area ${unknown.join(", ")}; there are ${Object.keys(AREAS).join(", ")}.\n`,
  );
  process.exit(64);
}

const equivalent = json5.parse(readFileSync(EQUIVALENT, "utf8"));
const all = Object.keys(AREAS).flatMap(candidatesOf);
const stale = equivalent.filter((entry) => !all.some((mutant) => isEntryOf(entry, mutant)));
for (const { file, code } of stale)
  process.stdout.write(`${EQUIVALENT}: no mutant is like this any more: ${file}: ${code}\n`);
if (values.check) process.exit(stale.length === 0 ? 0 : 1);

const survivorsFile = join(CACHE, `survivors-${areas.join("-")}.json`);
const candidates = all.filter(
  (mutant) =>
    areas.includes(mutant.area) &&
    matchesGlob(mutant.file, values.files) &&
    !equivalent.some((entry) => isEntryOf(entry, mutant)),
);
const isSame = (one, other) =>
  ["file", "operator", "before", "after"].every((key) => one[key] === other[key]);
const sample = values.again
  ? JSON.parse(readFileSync(survivorsFile, "utf8")).flatMap((last) => {
      const mutant = candidates.find((each) => isSame(last, each));
      return mutant ? [mutant] : [];
    })
  : sampled(candidates, Number(values.count), values.seed);

const copy = new ProjectCopy();
process.once("exit", () => copy.remove());
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const tests = new Tests(copy, Number(values.tests));
const outcomes = [];
const end = performance.now() + Number(values.minutes) * 60_000;
for (const mutant of sample) {
  if (performance.now() > end) break;
  const outcome = await outcomeOf(mutant);
  outcomes.push({ mutant, ...outcome });
  if (outcome.result === "survived") process.stdout.write(`${described(mutant)}\n`);
  const survived = outcomes.filter(({ result }) => result === "survived").length;
  process.stderr.write(`\r${outcomes.length} of ${sample.length}, ${survived} survived `);
  const survivors = outcomes.filter(({ result }) => result === "survived");
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(survivorsFile, JSON.stringify(survivors.map((each) => each.mutant)));
}
process.stderr.write("\n");
report();

/** Until a test fails. A test that took too long or did not end runs again: the machine may have been busy. */
async function outcomeOf(mutant) {
  let isExecuted = false;
  for await (const { test, took } of tests.of(mutant)) {
    isExecuted = true;
    const attempt = () => copy.with(mutant, () => copy.run(test, took));
    let result = await attempt();
    if (result === "timed out" || result === "incomplete") result = await attempt();
    if (result !== "passed") return { result, test };
  }
  return { result: "survived", isExecuted };
}

function report() {
  const rows = areas.map((area) => [area, outcomes.filter(({ mutant }) => mutant.area === area)]);
  process.stdout.write("\n| Area | Mutants | Killed | of them by time | Survived | Killed |\n");
  process.stdout.write("|---|--:|--:|--:|--:|--:|\n");
  for (const [name, of] of [...rows, ["all", outcomes]]) {
    if (of.length === 0) continue;
    const late = of.filter(({ result }) => result === "timed out").length;
    const survived = of.filter(({ result }) => result === "survived").length;
    const killed = of.length - survived;
    const share = ((100 * killed) / of.length).toFixed(1);
    const cells = [name, of.length, killed, late, survived, `${share} %`];
    process.stdout.write(`| ${cells.join(" | ")} |\n`);
  }
  const survivors = outcomes.filter(({ result }) => result === "survived");
  const listed = all.filter(
    (mutant) => areas.includes(mutant.area) && equivalent.some((entry) => isEntryOf(entry, mutant)),
  );
  process.stdout.write(
    `\nSeed ${values.seed}; a sample of ${candidates.length} mutants, besides ${listed.length} that are known to change nothing.\n`,
  );
  for (const test of tests.broken)
    process.stdout.write(`${test} fails without a mutant and was left out.\n`);
  for (const { mutant, isExecuted } of survivors)
    process.stdout.write(`\n${described(mutant)}${isExecuted ? "" : "  (never executed)\n"}`);
  const isGood = outcomes.length - survivors.length >= BAR * outcomes.length;
  process.exitCode = isGood && stale.length === 0 ? 0 : 1;
}

function described({ file, line, operator, before, after }) {
  const marked = (sign, code) => code.split("\n").map((each) => `  ${sign} ${each.trim()}\n`);
  return [`${file}:${line}: ${operator}\n`, ...marked("-", before), ...marked("+", after)].join("");
}
