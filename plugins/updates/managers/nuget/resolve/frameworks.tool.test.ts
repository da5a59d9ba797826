/** Which group of a package's needs is for a project, against NuGet's own library. */
import test from "ava";
import fc from "fast-check";
import { fetched, needs } from "../../../../../tests/support/needs.js";
import { runs } from "../../../../../tests/support/runs.js";
import { askNuget } from "../../../testing/dotnet.js";
import { nearest, readFramework } from "./frameworks.js";

const withNuget = needs(test, fetched("dotnet-sdk-*", ".NET"));

const PROGRAM = `
using System;
using System.IO;
using System.Linq;
using NuGet.Frameworks;

class Program {
  static NuGetFramework Read(string text) =>
    text == "" ? NuGetFramework.AnyFramework : NuGetFramework.Parse(text);
  static void Main(string[] args) {
    foreach (var line in File.ReadAllLines(args[0])) {
      var all = line.Split('\\t').Select(Read).ToList();
      var offered = all.Skip(1).ToList();
      var found = new FrameworkReducer().GetNearest(all[0], offered);
      Console.WriteLine(found == null ? -1 : offered.FindIndex(one => one.Equals(found)));
    }
  }
}`;

const PROJECTS = [
  ...["net8.0", "net5.0", ".NETCoreApp,Version=v3.1", "netcoreapp2.1", "netcoreapp1.0", "net10.0"],
  ...[".NETStandard,Version=v2.0", "netstandard2.1", "netstandard1.3", "netstandard1.6"],
  ...[
    ".NETFramework,Version=v4.7.2",
    "net48",
    "net461",
    "net46",
    "net452",
    "net45",
    "net40",
    "net35",
  ],
];
const OFFERED = [
  ...["", "net8.0", "net6.0", ".NETCoreApp3.1", "netcoreapp2.1", "netcoreapp2.0", "netcoreapp1.0"],
  ...[".NETStandard2.1", ".NETStandard2.0", "netstandard1.6", "netstandard1.3", "netstandard1.1"],
  ...["netstandard1.0", ".NETFramework4.7.2", ".NETFramework4.6.1", "net45", "net40", "net20"],
  ...["net451", "net46", "uap10.0", "MonoAndroid1.0", "Xamarin.iOS1.0", "win8", "wp8", "sl5"],
];
/** The version of NuGet that is asked knows .NET 5 and later by their long names. */
const long = (name: string): string =>
  name.replace(/^net(\d+\.0)$/, (_, version: string) => `.NETCoreApp,Version=v${version}`);

withNuget("the nearest group, of thousands of packages", async (t) => {
  t.timeout(120_000);
  const rows = fc.sample(
    fc.tuple(
      fc.constantFrom(...PROJECTS),
      fc.uniqueArray(fc.constantFrom(...OFFERED), { minLength: 1, maxLength: 6 }),
    ),
    { numRuns: runs(300, 3_000), seed: 11 },
  );
  const theirs = await askNuget(
    PROGRAM,
    rows.map(([project, offered]) => [project, ...offered].map(long).join("\t")),
  );
  let clear = 0;
  const wrong = rows.flatMap(([name, offered], at) => {
    const project = readFramework(name);
    if (typeof project !== "object") return [`${name} is not understood`];
    const found = nearest(project, offered);
    if (found.kind === "unclear") return [];
    clear += 1;
    const index = String(found.kind === "index" ? found.index : -1);
    return index === theirs[at] ? [] : [`${name} of ${offered}: ${index}, not ${theirs[at]}`];
  });
  t.deepEqual(wrong, []);
  t.true(clear > (rows.length * 2) / 3);
});

for (const [name, kind] of [
  ["", "any"],
  ["any", "any"],
  ["net8.0-windows7.0", "object"],
  ["portable-net45+win8", "undefined"],
  ["dotnet5.4", "undefined"],
  ["uap10.0", "elsewhere"],
  ["net45-client", "undefined"],
] as const)
  test(`"${name}" is ${kind}`, (t) => {
    const read = readFramework(name);
    t.is(typeof read === "string" ? read : typeof read, kind);
  });

test("platform frameworks fit only their platform, and are unknown for platform projects", (t) => {
  const [plain, windows] = ["net8.0", "net8.0-windows"].map(readFramework);
  if (typeof plain !== "object" || typeof windows !== "object") return t.fail();
  t.deepEqual(nearest(plain, ["net8.0-windows7.0", "net6.0"]), { kind: "index", index: 1 });
  t.deepEqual(nearest(windows, ["netstandard2.0", "net6.0"]), { kind: "index", index: 1 });
  t.deepEqual(nearest(windows, ["net8.0-windows7.0", "net6.0"]), { kind: "unclear" });
});
