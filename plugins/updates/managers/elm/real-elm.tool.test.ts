/** Compares the elm.json that Reeve writes with the one Elm writes, for generated sites and applications. */
import ava from "ava";
import fc from "fast-check";
import { needs, program } from "../../../../tests/support/needs.js";
import { type ElmSite, elmSite } from "../../testing/elm-site.js";
import { elmTool } from "../../testing/elm-tool.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import type { ManagerSettings } from "../contract.js";
import { elm } from "./manager.js";
import { solve } from "./resolve.js";
import { compareElm, compareElmNames, elmSatisfies } from "./versions.js";

const test = needs(ava, program("/usr/bin/elm", "elm"));

type Table = Readonly<Record<string, string>>;
interface Parts {
  readonly direct: Table;
  readonly indirect: Table;
}
interface Application {
  readonly dependencies: Parts;
  readonly "test-dependencies": Parts;
}

/** As Elm writes it. */
const written = (app: Application): string =>
  `${JSON.stringify(
    {
      ...{ type: "application", "source-directories": ["src"], "elm-version": "0.19.1" },
      dependencies: app.dependencies,
      "test-dependencies": app["test-dependencies"],
    },
    undefined,
    4,
  )}\n`;
const MAIN = { "src/Main.elm": "module Main exposing (x)\n\nx : Int\nx = 1\n" };

/** Each may need those before it. `acme/…` sorts before `acme-x/…`, although "-" sorts before "/". */
const NAMES = ["elm/json", "acme/left", "acme-x/right", "zed/low", "mid/way", "acme/top"];
const VERSIONS = ["1.0.0", "1.0.1", "1.1.0", "2.0.0", "2.1.0"];
/** Releases that exist when the applications are created. */
const EARLY = VERSIONS.slice(0, 3);
const RANGES = [
  ...["1.0.0 <= v < 2.0.0", "1.1.0 <= v < 2.0.0", "1.0.0 <= v < 3.0.0", "1.0.0 <= v < 1.1.0"],
  ...["2.0.0 <= v < 3.0.0", "1.0.0 < v <= 2.0.0"],
];

/** Dependencies of each version of each package. */
type World = ReadonlyMap<string, ReadonlyMap<string, Table>>;
const world: fc.Arbitrary<World> = fc
  .tuple(
    ...NAMES.map((_name, at) =>
      fc.tuple(
        ...VERSIONS.map(() =>
          fc.dictionary(
            fc.constantFrom(...(at === 0 ? [""] : NAMES.slice(0, at))),
            fc.constantFrom(...RANGES),
            { maxKeys: Math.min(at, 2) },
          ),
        ),
      ),
    ),
  )
  .map(
    (all) =>
      new Map(
        all.map((needs, at) => [
          NAMES[at] ?? "",
          new Map(
            needs.map((each, index) => [
              VERSIONS[index] ?? "",
              { "elm/core": "1.0.0 <= v < 2.0.0", ...each },
            ]),
          ),
        ]),
      ),
  );
const directDependencies = fc.record({
  direct: fc.uniqueArray(fc.constantFrom(...NAMES.slice(1)), { minLength: 2, maxLength: 3 }),
  tests: fc.uniqueArray(fc.constantFrom(...NAMES.slice(1)), { maxLength: 1 }),
});

function publish(site: ElmSite, all: World, versions: readonly string[]): void {
  site.publish("elm/core", "1.0.0");
  for (const [name, needs] of all)
    for (const version of versions) site.publish(name, version, needs.get(version));
}

const sorted = (entries: Iterable<readonly [string, string]>): Table =>
  Object.fromEntries([...entries].toSorted(([a], [b]) => compareElmNames(a, b)));

/** `versions` in their sections, without unused ones. */
function placed(
  versions: ReadonlyMap<string, string>,
  direct: readonly string[],
  tests: readonly string[],
  all: World,
): Application {
  const reached = (names: readonly string[]): ReadonlySet<string> => {
    const found = new Set(names);
    for (const name of found)
      for (const need of Object.keys(all.get(name)?.get(versions.get(name) ?? "") ?? {}))
        found.add(need);
    return found;
  };
  const [inUse, used] = [reached(direct), reached([...direct, ...tests])];
  const pick = (wanted: (name: string) => boolean): Table =>
    sorted([...versions].filter(([name]) => wanted(name)));
  return {
    dependencies: {
      direct: pick((name) => direct.includes(name)),
      indirect: pick((name) => inUse.has(name) && !direct.includes(name)),
    },
    "test-dependencies": {
      direct: pick((name) => tests.includes(name)),
      indirect: pick((name) => used.has(name) && !inUse.has(name) && !tests.includes(name)),
    },
  };
}

const versionsOf = ({ dependencies, "test-dependencies": tests }: Application) =>
  new Map(
    [dependencies, tests].flatMap((part) => [
      ...Object.entries(part.indirect),
      ...Object.entries(part.direct),
    ]),
  );

/** The application with `name` at `to`, as Reeve writes it; undefined where Reeve refuses. */
async function ours(
  app: Application,
  name: string,
  to: string,
  site: ElmSite,
  tools: Workshop,
): Promise<string | undefined> {
  const settings: ManagerSettings = { registries: [{ manager: "elm", url: site.url }] };
  const sources = repository({ "elm.json": written(app) });
  const dependency = elm.parse(sources, settings).dependencies.find((each) => each.name === name);
  if (!dependency) throw new Error(`${name} is not found.`);
  const change = { dependency, to: { version: to }, requirements: [to] };
  try {
    const { files } = await elm.update({ sources, settings, changes: [change] }, tools);
    return files.get("elm.json");
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "does_not_resolve") throw thrown;
    return undefined;
  }
}

test("ranges allow what Elm allows, and the same ranges are invalid", async (t) => {
  await using site = await elmSite();
  await using tool = await elmTool(site);
  site.publish("elm/core", "1.0.0");
  const versions = ["1.0.0", "1.0.1", "1.9.9", "1.10.0", "2.0.0", "2.0.1", "10.0.0"];
  for (const version of versions)
    site.publish("acme/left", version, { "elm/core": "1.0.0 <= v < 2.0.0" });
  const ranges = [
    ...["1.0.0 <= v < 2.0.0", "1.0.0 < v <= 2.0.0", "1.9.9 <= v < 1.10.0", "2.0.1 < v < 10.0.0"],
    ...["1.0.0 <= v <= 10.0.0", "1.0.0 < v < 1.0.1", "0.0.1 <= v < 1.0.0"],
    ...["1.0.0", "^1.0.0", "1.0 <= v < 2.0", "1.0.0  <= v < 2.0.0", "1.0.0<=v<2.0.0"],
    ...[" 1.0.0 <= v < 2.0.0", "2.0.0 <= v < 1.0.0", "1.0.0 <= v < 1.0.0", "1.0.0 <= x < 2.0.0"],
    ...["01.0.0 <= v < 2.0.0", "1.0.0 <= v <= 1.0.0"],
  ];
  const source = "module Here exposing (x)\n\nx : Int\nx = 1\n";
  for (const range of ranges) {
    const manifest = JSON.stringify({
      ...{ type: "package", name: "acme/here", summary: "Here", license: "MIT", version: "1.0.0" },
      ...{ "exposed-modules": ["Here"], "elm-version": "0.19.0 <= v < 0.20.0" },
      dependencies: { "acme/left": range, "elm/core": "1.0.0 <= v < 2.0.0" },
      "test-dependencies": {},
    });
    const before = site.requests.length;
    const { ok, said } = await tool.run({ "elm.json": manifest, "src/Here.elm": source }, "make");
    const taken = site.requests
      .slice(before)
      .map((url) => /^\/packages\/acme\/left\/(.*)\/elm\.json$/.exec(url)?.[1])
      .find((version) => version !== undefined);
    const mine = versions
      .filter((version) => elmSatisfies(version, range) && range !== version)
      .toSorted(compareElm)
      .at(-1);
    // What was fetched before is not asked for again.
    t.is(ok, mine !== undefined, `${range}: ${said}`);
    if (taken !== undefined) t.is(mine, taken, range);
  }
});

const seeds = [1, 2, 3];
for (const seed of seeds)
  test(`the elm.json of an application equals the one Elm writes, to the byte (${seed})`, async (t) => {
    const [all] = fc.sample(world, { seed, numRuns: 1 });
    if (!all) return t.fail();
    await using site = await elmSite();
    await using early = await elmSite();
    await using tools = workshop();
    await using tool = await elmTool(site);
    publish(site, all, VERSIONS);
    publish(early, all, EARLY);
    const listed = new Map(site.listed);
    const count = { same: 0, refused: 0 };
    for (const { direct, tests } of fc.sample(directDependencies, { seed, numRuns: 6 })) {
      const named = ["elm/core", "elm/json", ...direct];
      const tested = tests.filter((name) => !named.includes(name));
      const goals = [...named, ...tested].map((name) => [name, "1.0.0 <= v < 2.0.0"] as const);
      const input = { registry: early.url, elm: "0.19.1", lookup: tools.lookup };
      const start = await solve(new Map(goals), input);
      if ("conflict" in start) continue;
      const app = placed(start.versions, named, tested, all);
      for (const name of direct) {
        const mine = await ours(app, name, "2.1.0", site, tools);
        const { [name]: _old, ...others } = app.dependencies.direct;
        const without = { ...app, dependencies: { ...app.dependencies, direct: others } };
        for (const [each, versions] of listed) site.listed.set(each, versions);
        site.listed.set(name, ["2.1.0"]);
        const result = await tool.answer(
          { "elm.json": written(without), ...MAIN },
          "install",
          name,
        );
        const what = `${name} in ${written(app)}${result.said}`;
        if (!result.ok) {
          t.is(mine, undefined, what);
          continue;
        }
        const theirs = JSON.parse(result.manifest) as Application;
        t.is(result.manifest, written(theirs), "as Elm writes it");
        const moved = Object.entries(others).some(
          ([each, version]) => theirs.dependencies.direct[each] !== version,
        );
        if (mine === undefined) {
          count.refused += 1;
          t.true(
            moved,
            `refused only where something else that is named would have to move: ${what}`,
          );
          continue;
        }
        count.same += 1;
        t.is(mine, written(placed(versionsOf(theirs), named, tested, all)), what);
        const made = await tool.answer(
          { "elm.json": mine, ...MAIN },
          ...["make", "src/Main.elm", "--output=/dev/null"],
        );
        t.true(made.ok, made.said);
      }
    }
    t.log(count);
    t.true(count.same > 0);
  });
