/** Known holes: which versions a record means, and where records are read from. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { zipSync } from "fflate";
import { goVersioning } from "../managers/go/versions.js";
import { semverVersioning } from "../versions/semver.js";
import { tagVersioning } from "../versions/tag.js";
import { affects } from "./affects.js";
import type { AffectedEvent } from "./contract.js";
import { readAdvisories } from "./osv.js";

const advisory = (events: readonly AffectedEvent[], versions: readonly string[] = []) => ({
  id: "X-1",
  aliases: [],
  summary: "",
  affected: {
    ecosystem: "npm",
    name: "x",
    versions,
    ranges: [{ kind: "versions" as const, events }],
  },
});

const cases: ReadonlyArray<
  readonly [
    what: string,
    events: readonly AffectedEvent[],
    affected: readonly string[],
    safe: readonly string[],
  ]
> = [
  [
    "everything before the fix",
    [{ introduced: "0" }, { fixed: "1.2.0" }],
    ["0.0.1", "1.1.9", "1.2.0-rc.1"],
    ["1.2.0", "2.0.0"],
  ],
  [
    "up to and with the last",
    [{ introduced: "1.0.0" }, { lastAffected: "1.4.0" }],
    ["1.0.0", "1.4.0"],
    ["0.9.0", "1.4.1"],
  ],
  ["never fixed", [{ introduced: "2.0.0" }], ["2.0.0", "9.0.0"], ["1.9.9"]],
  [
    "two lines",
    [{ introduced: "1.0.0" }, { fixed: "1.5.0" }, { introduced: "2.0.0" }, { fixed: "2.5.0" }],
    ["1.4.9", "2.0.0"],
    ["1.5.0", "1.9.0", "2.5.0"],
  ],
  [
    "in any order",
    [{ fixed: "2.5.0" }, { introduced: "2.0.0" }, { fixed: "1.5.0" }, { introduced: "0" }],
    ["1.4.9", "2.4.0"],
    ["1.6.0", "2.5.0"],
  ],
  ["within a limit", [{ introduced: "0" }, { limit: "2.0.0" }], ["1.0.0"], ["2.0.0"]],
  ["without a limit", [{ introduced: "0" }, { limit: "*" }], ["9.0.0"], []],
];
for (const [what, events, affected, safe] of cases)
  test(`a range: ${what}`, (t) => {
    for (const version of affected)
      t.true(affects(advisory(events), version, semverVersioning), version);
    for (const version of safe)
      t.false(affects(advisory(events), version, semverVersioning), version);
  });

test("a version that is listed is affected, ranges or not", (t) => {
  t.true(affects(advisory([], ["1.0.0"]), "1.0.0", semverVersioning));
  t.false(affects(advisory([], ["1.0.0"]), "1.0.1", semverVersioning));
});

test("records omit the v of Go and action versions", (t) => {
  const record = advisory([{ introduced: "0" }, { fixed: "1.2.0" }]);
  t.true(affects(record, "v1.1.0", goVersioning));
  t.false(affects(record, "v1.2.0", goVersioning));
  t.true(affects(record, "v1.1.0", tagVersioning));
});

const record = (id: string, ecosystem: string, name: string, more = {}) =>
  JSON.stringify({
    id,
    summary: `hole ${id}`,
    database_specific: { severity: "HIGH" },
    affected: [
      {
        package: { ecosystem, name },
        ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.0.0" }] }],
      },
    ],
    ...more,
  });

test("records come from single files, lines and zips, at any depth; broken ones are reported", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "reeve-osv-"));
  t.teardown(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, "a/b"), { recursive: true });
  await writeFile(join(directory, "a/b/one.json"), record("A", "npm", "left"));
  await writeFile(
    join(directory, "many.ndjson"),
    `${record("B", "npm", "left")}\n${record("C", "Go", "example.test/X")}\n`,
  );
  await writeFile(
    join(directory, "all.zip"),
    zipSync({ "D.json": Buffer.from(record("D", "PyPI", "Some_Thing")) }),
  );
  await writeFile(
    join(directory, "gone.json"),
    record("E", "npm", "left", { withdrawn: "2026-01-01T00:00:00Z" }),
  );
  await writeFile(join(directory, "linux.json"), record("F", "Debian:12", "left"));
  await writeFile(join(directory, "broken.json"), "{");
  await writeFile(join(directory, "broken.zip"), "no zip");
  const advisories = await readAdvisories(directory);
  t.deepEqual(
    advisories
      .of("npm_and_yarn", "left")
      .map(({ id }) => id)
      .sort(),
    ["A", "B"],
  );
  t.is(advisories.of("go_modules", "example.test/X").length, 1);
  t.is(advisories.of("dep", "example.test/X").length, 1);
  t.is(advisories.of("pip", "some-thing")[0]?.severity, "HIGH");
  t.is(advisories.of("docker", "left").length, 0);
  t.is(advisories.count, 4);
  t.is(advisories.broken.length, 2);
});

test("a missing directory has no records and no faults", async (t) => {
  const advisories = await readAdvisories("/nonexistent/advisories");
  t.deepEqual([advisories.count, advisories.broken.length], [0, 0]);
});
