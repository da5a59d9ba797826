/** A test file's name says what it needs: CONTRIBUTING.md, "Tests". */
import { existsSync, readFileSync } from "node:fs";
import test from "ava";
import { relativeImports, sourceFiles } from "./source-files.js";

const tests = sourceFiles.filter((file) => /\.test\.tsx?$/.test(file));
const isSupport = (file: string): boolean =>
  /\/testing\/|^tests\/|^daemon\/plugin-testing\//.test(file) && !/\.test\.tsx?$/.test(file);

/** A test and the support files that it uses, directly or not. */
function usedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(file);
  for (const path of relativeImports(file)) {
    const source = ["ts", "tsx"].map((end) => path.replace(/js$/, end)).find(existsSync);
    if (source !== undefined && isSupport(source) && !seen.has(source)) usedBy(source, seen);
  }
  return seen;
}

const isNamed = (file: string, ...tiers: readonly string[]): boolean =>
  tiers.some((tier) => new RegExp(`\\.${tier}\\.test\\.tsx?$`).test(file));

test("a test that starts a process is no unit test", (t) => {
  const starting = tests.filter((file) => usedBy(file).has("tests/support/child.ts"));
  t.true(starting.length > 100);
  t.deepEqual(
    starting.filter((file) => !isNamed(file, "sys", "tool", "long")),
    [],
  );
});

test("a test that needs a program which a machine may lack is of the tier of tools", (t) => {
  const needing = tests.filter((file) =>
    [...usedBy(file)].some(
      (each) =>
        !/^tests\/support\/(needs|programs)\.ts$/.test(each) &&
        /\bneeds\(\s*\w+,[^;]*\b(program|fetched)\(|\bpostgres\b.*needs\.js"/.test(
          readFileSync(each, "utf8"),
        ),
    ),
  );
  t.true(needing.length > 50);
  t.deepEqual(
    needing.filter((file) => !isNamed(file, "tool", "long")),
    [],
  );
});

test("files with a known duration exist", (t) => {
  const known = Object.keys(
    JSON.parse(readFileSync("scripts/test/durations.json", "utf8")) as Record<string, number>,
  );
  const compiled = new Set(tests.map((file) => file.replace(/\.tsx?$/, ".js")));
  t.deepEqual(
    known.filter((file) => !compiled.has(file)),
    [],
  );
});
