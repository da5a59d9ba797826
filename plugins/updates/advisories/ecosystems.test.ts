/** A record of each ecosystem reaches its manager by the manager's own names, and is walked in its own order of versions. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { decide } from "../decide/decide.js";
import { managerOf, managers, type PackageManager } from "../managers/index.js";
import { affects } from "./affects.js";
import { readAdvisories } from "./osv.js";

interface Case {
  readonly manager: PackageManager;
  /** As the record has it: ecosystem, name, the first fixed version. */
  readonly record: readonly [ecosystem: string, name: string, fixed: string];
  /** Spellings of the name in a manifest or of a notification. */
  readonly names: readonly string[];
  readonly others?: readonly string[];
  readonly affected: readonly string[];
  readonly safe: readonly string[];
  /** The current version, the others, and the lowest fixed one. */
  readonly step: readonly [from: string, offered: string, to: string];
}

const cases: readonly Case[] = [
  {
    manager: "npm_and_yarn",
    record: ["npm", "@acme/left", "1.10.0"],
    step: ["1.9.0", "2.0.0 1.11.0 1.10.0-rc.2 1.10.0 1.9.9", "1.10.0"],
    names: ["@acme/left"],
    others: ["@acme/Left", "left"],
    ...{ affected: ["1.9.0", "1.10.0-rc.1"], safe: ["1.10.0"] },
  },
  {
    manager: "pip",
    record: ["PyPI", "Foo_Bar", "1.10"],
    step: ["1.9", "2.0 1.10rc2 1.10.post1 1.11 1.9.9", "1.10.post1"],
    names: ["foo-bar", "Foo.Bar", "FOO__bar"],
    others: ["foobar"],
    ...{
      affected: ["1.9", "1.10rc1", "1.10.dev3"],
      safe: ["1.10", "1.10.0", "1.10.post1", "1!0.1"],
    },
  },
  {
    manager: "maven",
    record: ["Maven", "org.acme:left", "2.0"],
    step: ["1.10", "3.0 2.0-rc2 2.0.1 2.0-SNAPSHOT 1.11", "2.0.1"],
    names: ["org.acme:left"],
    others: ["org.acme:right", "left"],
    ...{ affected: ["1.10", "2.0-SNAPSHOT", "2.0-rc1"], safe: ["2.0", "2.0.0.Final", "2.0-sp1"] },
  },
  {
    manager: "gradle",
    record: ["Maven", "org.acme:left", "2.0"],
    step: ["1.10", "3.0 2.0-rc2 2.0 2.10 1.11", "2.0"],
    names: ["org.acme:left"],
    others: ["org.acme:right"],
    ...{ affected: ["1.10", "2.0-rc1"], safe: ["2.0", "2.1"] },
  },
  {
    manager: "nuget",
    record: ["NuGet", "Acme.Left", "4.10.0"],
    step: ["4.9.0", "5.0.0 4.10.0-rc.1 4.10.0.1 4.10.1 4.9.9.9", "4.10.0.1"],
    names: ["Acme.Left", "acme.left", "ACME.LEFT"],
    others: ["Acme-Left"],
    ...{ affected: ["4.9.0", "4.9.9.9", "4.10.0-beta"], safe: ["4.10", "4.10.0.1"] },
  },
  {
    manager: "cargo",
    record: ["crates.io", "left-pad", "0.10.0"],
    step: ["0.9.1", "1.0.0 0.10.0-beta 0.10.0 0.11.0 0.9.9", "0.10.0"],
    names: ["left-pad"],
    others: ["leftpad"],
    ...{ affected: ["0.9.1", "0.10.0-alpha"], safe: ["0.10.0", "0.10.0+build"] },
  },
  {
    manager: "bundler",
    record: ["RubyGems", "left_pad", "1.10"],
    step: ["1.9.9", "2.0 1.10.rc2 1.10.0.1 1.11 1.9.10", "1.10.0.1"],
    names: ["left_pad"],
    others: ["left-pad"],
    ...{ affected: ["1.9.9.9", "1.10.rc1"], safe: ["1.10", "1.10.0.1"] },
  },
  {
    manager: "composer",
    record: ["Packagist", "Acme/Left", "2.10.0"],
    step: ["v2.9.0", "v3.0.0 v2.10.0-RC2 v2.10.0 v2.11.0 v2.9.9", "v2.10.0"],
    names: ["acme/left", "Acme/Left"],
    others: ["acme/right"],
    ...{ affected: ["2.9.0", "v2.9.0", "2.10.0-RC1"], safe: ["2.10.0", "v2.10"] },
  },
  {
    manager: "hex",
    record: ["Hex", "left_pad", "1.10.0"],
    step: ["1.9.0", "2.0.0 1.10.0-rc.1 1.11.0 1.10.0 1.9.9", "1.10.0"],
    names: ["left_pad"],
    others: ["left"],
    ...{ affected: ["1.9.0", "1.10.0-rc.0"], safe: ["1.10.0"] },
  },
  {
    manager: "go_modules",
    record: ["Go", "example.test/Left/v2", "2.10.0"],
    step: ["v2.9.0", "v2.11.0 v2.10.0-rc.2 v2.10.1 v2.9.9", "v2.10.1"],
    names: ["example.test/Left/v2"],
    others: ["example.test/left/v2", "example.test/Left"],
    ...{
      affected: ["v2.9.0", "v2.10.0-rc.1", "v2.9.1-0.20250101000000-0123456789ab"],
      safe: ["v2.10.0"],
    },
  },
  {
    manager: "dep",
    record: ["Go", "example.test/left", "1.10.0"],
    step: ["v1.9.0", "v2.0.0 v1.10.0-rc.1 v1.10.0 v1.11.0 v1.9.9", "v1.10.0"],
    names: ["example.test/left"],
    others: ["example.test/right"],
    ...{ affected: ["v1.9.0", "1.9.0"], safe: ["v1.10.0", "1.10.0"] },
  },
  {
    manager: "host_actions",
    record: ["GitHub Actions", "acme/left", "4.1.0"],
    step: ["v4.0.9", "v5.0.0 v4.1.0-rc1 v4.1.1 v4.10.0 v4.0.10", "v4.1.1"],
    names: ["acme/left", "acme/left@v4"],
    others: ["acme/right"],
    ...{ affected: ["v4.0.9", "4.0.0"], safe: ["v4.1.0", "v5.0.0"] },
  },
];

test("every manager with an ecosystem is here", (t) => {
  const named = Object.entries(managers).flatMap(([id, { ecosystem }]) =>
    ecosystem === undefined ? [] : [id],
  );
  t.deepEqual(cases.map(({ manager }) => manager as string).sort(), named.sort());
});

async function known(t: ExecutionContext, records: Readonly<Record<string, object>>) {
  const directory = await mkdtemp(join(tmpdir(), "reeve-osv-"));
  t.teardown(() => rm(directory, { recursive: true }));
  for (const [id, more] of Object.entries(records))
    await writeFile(join(directory, `${id}.json`), JSON.stringify({ id, ...more }));
  return readAdvisories(directory);
}

for (const { manager: id, record, names, step } of cases) {
  const [ecosystem, name, fixed] = record;
  const [from, offered, to] = step;
  const about = (events: readonly object[], type: string) => ({
    affected: [{ package: { ecosystem, name }, ranges: [{ type, events }] }],
  });
  const records: Readonly<Record<string, readonly [records: Record<string, object>, to: string]>> =
    {
      "from the version that mends it": [
        { X: about([{ introduced: "0" }, { fixed }], "ECOSYSTEM") },
        to,
      ],
      "after the last that has it": [
        { X: about([{ introduced: "0" }, { last_affected: from.replace(/^v/, "") }], "SEMVER") },
        offered.split(" ").at(-1) ?? "",
      ],
      "told twice, and once taken back": [
        {
          X: { ...about([{ introduced: "0" }, { fixed }], "ECOSYSTEM"), aliases: ["CVE-1"] },
          Y: { ...about([{ introduced: "0" }], "GIT"), aliases: ["CVE-1"] },
          Z: { ...about([{ introduced: "0" }], "ECOSYSTEM"), withdrawn: "2026-01-01T00:00:00Z" },
          "CVE-1": about([{ introduced: "0" }, { fixed }], "ECOSYSTEM"),
        },
        to,
      ],
    };
  for (const [what, [written, wanted]] of Object.entries(records))
    test(`${id}: ${from} goes to ${wanted}, no further, ${what}`, async (t) => {
      const advisories = await known(t, written);
      const manager = await managerOf(id);
      const declaration = {
        ...{ file: "x", range: { start: 0, end: 1 }, requirement: from },
        ...{ section: "y", development: false },
      };
      const decision = decide({
        ...{ manager, runtime: {}, library: false, now: 0 },
        dependency: {
          ...{ id: name, name: manager.normalize(names[0] ?? ""), development: false },
          origin: { kind: "registry", url: "https://registry.example.test" },
          ...{ declarations: [declaration], current: from, lockedBy: "lock" },
        },
        available: { releases: offered.split(" ").map((version) => ({ version })) },
        advisories: advisories.of(id, manager.normalize(names[0] ?? "")),
        policy: { lockfileOnly: false, securityOnly: true, strategy: "bump_versions", ignore: [] },
      });
      t.like(decision, { kind: "update", to: wanted });
      t.is(decision.kind === "update" ? decision.fixes.length : 0, 1);
    });
}

for (const { manager: id, record, names, others = [], affected, safe } of cases) {
  const [ecosystem, name, fixed] = record;
  test(`${id}: a record of ${ecosystem} about ${name}`, async (t) => {
    const events = [{ introduced: "0" }, { fixed }];
    const about = { package: { ecosystem, name }, ranges: [{ type: "ECOSYSTEM", events }] };
    const advisories = await known(t, { X: { affected: [about] } });
    const { normalize: normalise, versioning } = await managerOf(id);
    const named = (spelling: string) => advisories.of(id, normalise(spelling));
    for (const spelling of names) t.is(named(spelling).length, 1, spelling);
    for (const spelling of others) t.deepEqual(named(spelling), [], spelling);
    const [advisory] = named(names[0] ?? "");
    if (!advisory) return t.fail();
    for (const version of affected) t.true(affects(advisory, version, versioning), version);
    for (const version of safe) t.false(affects(advisory, version, versioning), version);
  });
}
