/** `packages.lock.json`: what a changed requirement makes of it, to the byte as NuGet, and where that cannot be told. */
import test from "ava";
import { fetched, needs } from "../../../../tests/support/needs.js";
import { workshop } from "../../testing/manager-fixture.js";
import { moving, relocked } from "../../testing/nuget-cases.js";
import { nugetFeed, type Published } from "../../testing/nuget-feed.js";
import { type RestoredProject, restoredByNuget } from "../../testing/nuget-restore.js";
import type { NugetLockEntry } from "./lockfile.js";

const withNuget = needs(test, fetched("dotnet-sdk-*", ".NET"));

const net8 = ".NETCoreApp,Version=v8.0";
type Asks = Readonly<Record<string, string>>;

interface Row {
  readonly what: string;
  readonly asks: Asks;
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
  readonly frameworks?: readonly string[];
  /** Another project that is referred to. */
  readonly lib?: Asks;
}

const packages: ReadonlyArray<readonly [name: string, version: string, about?: Published]> = [
  ["Acme.Plain", "1.0.0"],
  ["Acme.Plain", "1.1.0", { signed: true }],
  ["Acme.Base", "1.0.0"],
  ["Acme.Base", "1.1.0", { needs: { "": { "Acme.Plain": "1.0.0" } } }],
  ["acme.same", "1.0.0", { needs: { ".NETStandard2.0": { "Acme.Base": "1.0.0" } } }],
  ["acme.same", "1.1.0", { needs: { ".NETStandard2.0": { "Acme.Base": "[1.0.0, 2.0.0)" } } }],
  ["Acme.More", "1.0.0", { needs: { "": { "acme.same": "1.0.0" } } }],
  ["Acme.More", "1.1.0", { needs: { "": { "Acme.Base": "1.0.1", "acme.same": "1.1" } } }],
  ["Acme.Less", "1.0.0", { needs: { "": { "Acme.More": "1.1.0" } } }],
  ["Acme.Less", "1.1.0-rc.1"],
  ["Acme.Less", "1.1.0"],
];

const rows: readonly Row[] = [
  { what: "needs nothing, and is signed", asks: { "Acme.Plain": "1.0.0" } },
  { what: "needs the same in another way", asks: { "acme.same": "1.0" } },
  { what: "needs more and newer", asks: { "Acme.More": "1.0.0" } },
  { what: "needs less", asks: { "Acme.Less": "1.0.0", "Acme.Base": "1.0.1" } },
  {
    what: "needs more in some frameworks",
    asks: { "acme.same": "1.0.0" },
    frameworks: [net8, "net45"],
  },
  {
    what: "is wanted by another project as well",
    asks: { "Acme.More": "1.0.0" },
    lib: { "Acme.More": "1.0.0" },
  },
  {
    what: "is wanted by another project alone",
    asks: { "Acme.Plain": "1.0.0" },
    lib: { "Acme.More": "1.0.0" },
    name: "Acme.More",
  },
  { what: "was asked for alone", asks: { "Acme.Plain": "[1.0.0]" }, to: "[1.1.0]" },
  {
    what: "was asked for in an interval",
    asks: { "Acme.Less": "[1.0.0, 1.1.0)" },
    to: "[1.1.0, 1.2.0)",
  },
  { what: "was asked for by its beginning", asks: { "Acme.Less": "1.0.*" }, to: "1.1.*" },
  { what: "is there beside one that floats", asks: { "Acme.Plain": "1.0.0", "Acme.Less": "1.*" } },
];

const project = ({ asks, frameworks = [net8], lib }: Row, index: number): RestoredProject => ({
  ...{ asks, frameworks },
  ...(lib ? { refers: [`Lib${index}`] } : {}),
});

withNuget("as NuGet writes it, and accepted by NuGet", async (t) => {
  t.timeout(120_000);
  await using feed = await nugetFeed();
  await using tools = workshop();
  for (const [name, version, about] of packages) feed.publish(name, version, about);
  const changes = rows.map(({ asks, name = Object.keys(asks)[0] ?? "", lib, to = "1.1.0" }) => {
    const from: string = asks[name] ?? lib?.[name] ?? "";
    return {
      name,
      from,
      to,
      after: (all: Asks): Asks => (name in all ? { ...all, [name]: to } : all),
    };
  });
  const states = rows.flatMap((row, index) => {
    const after = changes[index]?.after ?? ((all: Asks) => all);
    const later = `Later${index}`;
    return [
      [`Before${index}`, project(row, index)],
      [
        `After${index}`,
        { ...project(row, index), asks: after(row.asks), refers: row.lib ? [later] : [] },
      ],
      ...(row.lib ? [[`Lib${index}`, { frameworks: [net8], asks: row.lib }]] : []),
      ...(row.lib ? [[later, { frameworks: [net8], asks: after(row.lib) }]] : []),
    ] as readonly [string, RestoredProject][];
  });
  const locks = await restoredByNuget(feed, Object.fromEntries(states));
  const kept: Record<string, RestoredProject> = {};
  for (const [index, row] of rows.entries()) {
    const { name = "", from = "", to = "", after } = changes[index] ?? {};
    const change = moving(name, from, to);
    const { text, why } = await relocked(locks.get(`Before${index}`)?.lock ?? "", {
      ...{ changes: [change], projects: [`Lib${index}.csproj`], lookup: tools.lookup },
      feeds: () => [feed.url],
    });
    // A project is known by its name, which is another one here.
    const expected = locks.get(`After${index}`)?.lock?.replaceAll("later", "lib");
    t.is<string | undefined, string | undefined>(text ?? why, expected, row.what);
    const asks = after?.(row.asks) ?? row.asks;
    if (!row.lib) kept[`Kept${index}`] = { ...project(row, index), asks, lock: text ?? "" };
  }
  for (const [name, { lock, why }] of await restoredByNuget(feed, kept))
    t.is(lock ?? why, kept[name]?.lock ?? "", name);
});

withNuget("transitive packages move alone as far as allowed, and NuGet accepts it", async (t) => {
  t.timeout(120_000);
  await using feed = await nugetFeed();
  await using tools = workshop();
  for (const [name, version, about] of packages) feed.publish(name, version, about);
  feed.publish("Acme.Tight", "1.0.0", { needs: { "": { "Acme.Base": "[1.0.0]" } } });
  const open: RestoredProject = { asks: { "Acme.More": "1.0.0" }, frameworks: [net8] };
  const tight = { ...open, asks: { "Acme.Tight": "1.0.0" } };
  const locks = await restoredByNuget(feed, { Open: open, Tight: tight });
  const change = { ...moving("Acme.Base", "1.0.0", "1.1.0"), requirements: [] };
  const indirect = { ...change, dependency: { ...change.dependency, declarations: [] } };
  const [moved, held] = await Promise.all(
    ["Open", "Tight"].map((name) =>
      relocked(locks.get(name)?.lock ?? "", {
        ...{ changes: [indirect], projects: [], lookup: tools.lookup, feeds: () => [feed.url] },
      }),
    ),
  );
  t.regex(moved?.text ?? "", /"resolved": "1\.1\.0"[\s\S]*Acme\.Plain[\s\S]*"Acme\.Plain": \{/);
  const kept = await restoredByNuget(feed, { Open: { ...open, lock: moved?.text ?? "" } });
  t.is(kept.get("Open")?.lock ?? kept.get("Open")?.why, moved?.text);
  t.deepEqual(held, { why: "what needs Acme.Base does not allow 1.1.0" });
});

/** With its keys in the order that NuGet writes. */
const entry = (type: string, { requested, ...more }: NugetLockEntry = {}) => ({
  ...{ type, ...(requested === undefined ? {} : { requested }) },
  ...{ resolved: "1.0.0", contentHash: "hash", ...more },
});
const direct = { requested: "[1.0.0, )" };
const written = (section: object, framework: string = net8): string =>
  JSON.stringify({ version: 1, dependencies: { [framework]: section } }, undefined, 2);

const unclear: ReadonlyArray<readonly [what: string, lock: string, why: RegExp]> = [
  [
    "is not written by NuGet",
    written({ "Acme.Plain": entry("Direct", direct) }).replaceAll("\n  ", "\n   "),
    /^it is not written the way NuGet/,
  ],
  ["cannot be read", "{", /^it cannot be read$/],
  [
    "is of a framework that is not understood",
    written({ "Acme.Plain": entry("Direct", direct) }, "dnxcore50"),
    /^dnxcore50 is not understood$/,
  ],
  [
    "has what is kept in one place",
    written({ "Acme.Plain": entry("Direct", direct), B: entry("CentralTransitive") }),
    /^B is CentralTransitive in it$/,
  ],
  [
    "has a package that nothing needs",
    written({ "Acme.Plain": entry("Direct", direct), B: entry("Transitive") }),
    /^it is not what its requirements lead to by now$/,
  ],
  [
    "asks for something else",
    written({ "Acme.Plain": entry("Direct", { requested: "[0.9.0, )" }) }),
    /^what asks for acme.plain \[0\.9\.0, \) cannot be told$/,
  ],
  [
    "has a package that is gone",
    written({ "Acme.Gone": entry("Direct", direct), "Acme.Plain": entry("Direct", direct) }),
    /^no version of Acme\.Gone is what is asked for$/,
  ],
  [
    "has a package that others do not allow",
    written({
      "Acme.Plain": entry("Direct", direct),
      Strict: entry("Direct", { ...direct, dependencies: { "Acme.Held": "1.1.0" } }),
      "Acme.Held": entry("Transitive"),
    }),
    /^it is not what its requirements lead to by now$/,
  ],
];
test("uncertain moves fall back", async (t) => {
  await using feed = await nugetFeed();
  await using tools = workshop();
  for (const version of ["1.0.0", "1.1.0"]) feed.publish("Acme.Plain", version);
  feed.publish("Acme.Held", "1.1.0");
  feed.publish("Strict", "1.0.0", { needs: { "": { "Acme.Held": "1.1.0" } } });
  for (const [what, lock, why] of unclear) {
    const answer = await relocked(lock, {
      ...{ changes: [moving("Acme.Plain", "1.0.0", "1.1.0")], projects: [], lookup: tools.lookup },
      feeds: () => [feed.url],
    });
    t.is(answer.text, undefined, what);
    t.regex(answer.why ?? "", why, what);
  }
});

test("platform-specific dependencies fall back", async (t) => {
  await using feed = await nugetFeed();
  await using tools = workshop();
  const runtime = `{"runtimes":{"linux-x64":{"Acme.Native":{"Acme.Linux":"1.0.0"}}}}`;
  for (const version of ["1.0.0", "1.1.0"]) {
    feed.publish("Acme.Native", version, { runtime });
    feed.publish("Acme.Plain", version);
  }
  const hashless = entry("Direct", direct);
  const lock = (more: object): string =>
    JSON.stringify(
      {
        version: 1,
        dependencies: {
          [net8]: { "Acme.Native": hashless, "Acme.Plain": hashless },
          [`${net8}/linux-x64`]: more,
        },
      },
      undefined,
      2,
    );
  const answers = await Promise.all(
    (
      [
        ["Acme.Plain", {}],
        ["Acme.Native", {}],
        [
          "Acme.Plain",
          { "Acme.Linux": entry("Transitive", { dependencies: { "Acme.Plain": "1.0.0" } }) },
        ],
      ] as const
    ).map(async ([name, more]) => {
      const { text, why } = await relocked(lock(more), {
        ...{ changes: [moving(name, "1.0.0", "1.1.0")], projects: [], lookup: tools.lookup },
        feeds: () => [feed.url],
      });
      return text === undefined ? why : text.includes('"resolved": "1.1.0"');
    }),
  );
  t.deepEqual(answers, [
    true,
    "Acme.Native needs other packages on other machines",
    `${net8}/linux-x64 has to do with Acme.Plain, too`,
  ]);
});
