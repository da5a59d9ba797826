/** `docs/dependencies.md` names every library, with nothing missing and nothing left over; versions are exact. */
import { readFileSync } from "node:fs";
import test from "ava";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const [, atRunTime = "", forBuilding = ""] = readFileSync("docs/dependencies.md", "utf8").split(
  /^## .*$/m,
);

/** What stands in backticks in the first column. */
const named = (section: string): readonly string[] =>
  [...section.matchAll(/^\| (`[^|]*) \|/gm)]
    .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))
    .sort();

test("the libraries that are installed with Reeve", (t) => {
  t.deepEqual(named(atRunTime), Object.keys(manifest.dependencies).sort());
});

test("the tools it is built with", (t) => {
  t.deepEqual(named(forBuilding), Object.keys(manifest.devDependencies).sort());
});

test("every version is exact", (t) => {
  const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^(?:npm:[^\d]\S*@)?\d+\.\d+\.\d+$/.test(version),
  );
  t.deepEqual(loose, []);
});
