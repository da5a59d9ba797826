/** Lock files of generated graphs, to the byte as NuGet itself writes them when a requirement changes. */
import ava from "ava";
import fc from "fast-check";
import { fetched, needs } from "../../../../tests/support/needs.js";
import { runs } from "../../../../tests/support/runs.js";
import { workshop } from "../../testing/manager-fixture.js";
import { moving, relocked } from "../../testing/nuget-cases.js";
import { nugetFeed } from "../../testing/nuget-feed.js";
import { type RestoredProject, restoredByNuget } from "../../testing/nuget-restore.js";

const test = needs(ava, fetched("dotnet-sdk-*", ".NET"));

const NAMES = ["Acme.A", "Acme.B", "acme.C", "Acme.d", "Acme.E", "Acme.IO"];
const VERSIONS = ["1.0.0", "1.1.0", "1.2.0", "2.0.0-rc.1", "2.0.0"];
const PROJECTS = runs(40, 120);

const version = fc.constantFrom(...VERSIONS);
const range = fc.oneof(
  { arbitrary: version, weight: 8 },
  { arbitrary: fc.constantFrom("[1.0.0, 1.2.0)", "[1.1.0, 2.0.0)"), weight: 1 },
  { arbitrary: fc.constantFrom("[1.1.0]", "(1.0.0, )", "1.0.5", "(, 2.0.0)", ""), weight: 1 },
);
/** Each group once in a package; that of `net45` alone is what versions of NuGet disagree about. */
const GROUPS: readonly (readonly string[])[] = [
  ...[[""], [".NETStandard2.0"], ["netcoreapp2.1", ".NETStandard2.0", ".NETFramework4.6.1"]],
  ...[["", "net20"], ["", ".NETStandard1.3"], ["net45"]],
];
/** Of what comes later, so that none needs itself. */
const groups = (index: number) => {
  const later = NAMES.slice(index + 1);
  const needs = fc.dictionary(fc.constantFrom(...later, "Acme.IO"), range, {
    maxKeys: later.length === 0 ? 0 : 3,
  });
  const group = fc.oneof(
    { arbitrary: fc.constantFrom(...GROUPS.slice(0, 3)), weight: 9 },
    fc.constantFrom(...GROUPS.slice(3)),
  );
  return group.chain((names) =>
    fc
      .tuple(...names.map(() => needs))
      .map((all) => Object.fromEntries(names.map((name, at) => [name, all[at] ?? {}]))),
  );
};
const project = fc.record({
  frameworks: fc.constantFrom(
    ...[["netcoreapp3.1"], ["netstandard2.0"], ["net472"], ["net45", "netcoreapp3.1"]],
    [".NETCoreApp,Version=v8.0"],
  ),
  asks: fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.oneof({ arbitrary: version, weight: 5 }, fc.constantFrom("1.*", "[1.0.0, 2.0.0)")),
    { minKeys: 1, maxKeys: 3 },
  ),
  to: version,
  /** Of another project, which it refers to. */
  lib: fc.dictionary(fc.constantFrom(...NAMES), version, { maxKeys: 2 }),
});

test("the resolution of a changed requirement, or a fallback", async (t) => {
  t.timeout(120_000);
  await using feed = await nugetFeed();
  await using tools = workshop();
  const needs = NAMES.map((_, index) =>
    fc.sample(groups(index), { numRuns: VERSIONS.length, seed: index }),
  );
  for (const [index, name] of NAMES.entries())
    for (const [at, each] of VERSIONS.entries())
      feed.publish(name, each, { needs: needs[index]?.[at] ?? {} });
  const projects = fc.sample(project, { numRuns: PROJECTS, seed: 7 }).map((one) => {
    const [[name = "", from = ""] = []] = Object.entries(one.asks);
    return { ...one, name, from };
  });
  const states = projects.flatMap(({ frameworks, asks, lib, name, to }, index) => {
    const refers = Object.keys(lib).length > 0 ? [`Lib${index}`] : [];
    return [
      [`Lib${index}`, { frameworks, asks: lib }],
      [`Before${index}`, { frameworks, refers, asks }],
      [`After${index}`, { frameworks, refers, asks: { ...asks, [name]: to } }],
    ] satisfies [string, RestoredProject][];
  });
  const locks = await restoredByNuget(feed, Object.fromEntries(states));
  const counts = { same: 0, refused: 0, failing: 0 };
  for (const [index, { name, from, to }] of projects.entries()) {
    const before = locks.get(`Before${index}`)?.lock;
    const { lock: after, why } = locks.get(`After${index}`) ?? {};
    if (before === undefined) continue;
    const result = await relocked(before, {
      ...{ changes: [moving(name, from, to)], projects: [], lookup: tools.lookup },
      feeds: () => [feed.url],
    });
    const what = `${JSON.stringify(projects[index])}: ${result.why}; ${why}`;
    if (after === undefined) t.is(result.text, undefined, what);
    else if (result.text !== undefined) t.is(result.text, after, what);
    counts[after === undefined ? "failing" : result.text === undefined ? "refused" : "same"] += 1;
  }
  const enough = counts.same >= (PROJECTS * 25) / 120 && counts.failing >= (PROJECTS * 5) / 120;
  t.true(enough, JSON.stringify(counts));
});
