/** Shapes of real repositories: where versions stand, which feeds are used, what has to change along. */
import test from "ava";
import { workshop } from "../../testing/manager-fixture.js";
import { project, read, updated } from "../../testing/nuget-cases.js";
import { nugetFeed } from "../../testing/nuget-feed.js";
import type { ManagerSettings, ParsedProject } from "../contract.js";
import { nuget } from "./manager.js";

type Texts = Readonly<Record<string, string>>;
const none: ManagerSettings = { registries: [] };
const items = (text: string): string => `<Project><ItemGroup>${text}</ItemGroup></Project>`;
const reference = (name: string, more = ""): string =>
  `<PackageReference Include="${name}" ${more}/>`;
const properties = (text: string): string =>
  `<Project><PropertyGroup>${text}</PropertyGroup></Project>`;

const rows = ({ dependencies }: ParsedProject): readonly string[] =>
  dependencies
    .map(({ name, current, development, declarations, together }) => {
      const locations = declarations.map(({ file, requirement }) => `${file} ${requirement}`);
      const shared = together === undefined ? "" : `, with ${together}`;
      return `${name} ${current ?? "-"}: ${locations.join(", ")}${development ? ", dev" : ""}${shared}`;
    })
    .toSorted();

const shapes: ReadonlyArray<readonly [what: string, files: Texts, found: readonly string[]]> = [
  [
    "names of properties are the same large and small, and properties may be others",
    {
      "A.csproj": items(
        reference("One", `Version="$(acmeversion)"`) + reference("Two", `Version="$(Acme)"`),
      ),
      "Directory.Build.props": properties(
        "<Acme>$(AcmeVersion)</Acme><AcmeVersion>1.0</AcmeVersion>",
      ),
    },
    [
      "one 1.0: Directory.Build.props 1.0, with Directory.Build.props AcmeVersion",
      "two 1.0: Directory.Build.props 1.0, with Directory.Build.props AcmeVersion",
    ],
  ],
  [
    "a property of itself is none",
    {
      "A.csproj": items(reference("One", `Version="$(A)"`)),
      "Directory.Build.props": properties("<A>$(A)</A>"),
    },
    ["one -: "],
  ],
  [
    "a central version is for development where all projects use it for that alone",
    {
      "A.csproj": items(
        reference("Analyzer", `PrivateAssets="all"`) + reference("Both", `PrivateAssets="all"`),
      ),
      "Directory.Packages.props": items(
        `${["Analyzer", "Both", "Used", "Unused"]
          .map((name) => `<PackageVersion Include="${name}" Version="1.0"/>`)
          .join("")}<GlobalPackageReference Include="Global" Version="1.0"/>`,
      ),
      "b/B.csproj": items(reference("both") + reference("Used")),
      "App.sln": `"A.csproj" "b\\B.csproj"`,
    },
    [
      "analyzer 1.0: Directory.Packages.props 1.0, dev",
      "both 1.0: Directory.Packages.props 1.0",
      "global 1.0: Directory.Packages.props 1.0, dev",
      "unused 1.0: Directory.Packages.props 1.0",
      "used 1.0: Directory.Packages.props 1.0",
    ],
  ],
  [
    "lock files of several projects in one directory, and tools beside them",
    {
      "A.csproj": items(reference("One", `Version="1.*"`)),
      "packages.A.lock.json": JSON.stringify({
        version: 1,
        dependencies: { "net8.0": { One: { type: "Direct", resolved: "1.4.0" } } },
      }),
      "dotnet-tools.json": `{ "tools": { "acme": { "version": "2.0.0", "commands": [] } } }`,
    },
    ["acme 2.0.0: dotnet-tools.json 2.0.0, dev", "one 1.4.0: A.csproj 1.*"],
  ],
];
for (const [what, files, found] of shapes)
  test(what, (t) => t.deepEqual(rows(nuget.parse(read(files), none)), found));

const ORG = "https://api.nuget.org/v3/index.json";
const at = (host: string): string => `https://${host}.example/v3/index.json`;
const source = (key: string, value = at(key)): string => `<add key="${key}" value="${value}"/>`;
const mapping = (key: string, ...patterns: readonly string[]): string =>
  `<packageSource key="${key}">${patterns.map((one) => `<package pattern="${one}"/>`).join("")}</packageSource>`;
const config = (sources: string, more = ""): string =>
  `<configuration><packageSources>${sources}</packageSources>${more}</configuration>`;

const feeds: ReadonlyArray<readonly [what: string, files: Texts, feeds: readonly string[]]> = [
  [
    "the nearest file first",
    { "NuGet.Config": config(source("a")), "x/nuget.config": config(source("b")) },
    [at("b"), at("a"), ORG],
  ],
  [
    "what is cleared is not asked",
    { "NuGet.Config": config(source("a")), "x/nuget.config": config(`<clear/>${source("b")}`) },
    [at("b")],
  ],
  [
    "nor is the public one where only folders are left",
    { "x/nuget.config": config(`<clear/>${source("b", "./packages")}`) },
    [],
  ],
  [
    "a key says which is meant",
    { "NuGet.Config": config(source("a")), "x/nuget.config": config(source("A", at("other"))) },
    [at("other"), ORG],
  ],
  [
    "what is turned off is not asked",
    {
      "x/nuget.config": config(
        source("a"),
        `<disabledPackageSources>${source("A", "true")}${source("nuget.org", "true")}</disabledPackageSources>`,
      ),
    },
    [],
  ],
  [
    "a mapping by the longest beginning",
    {
      "x/nuget.config": config(
        source("a") + source("b"),
        `<packageSourceMapping>${mapping("a", "*")}${mapping("b", "Acme.*")}${mapping("nuget.org", "ac*")}</packageSourceMapping>`,
      ),
    },
    [at("b")],
  ],
  [
    "a mapping by the whole name",
    {
      "x/nuget.config": config(
        source("a") + source("b"),
        `<packageSourceMapping>${mapping("b", "acme.one*")}${mapping("a", "Acme.One")}${mapping("nuget.org", "acme.one")}</packageSourceMapping>`,
      ),
    },
    [at("a"), ORG],
  ],
  [
    "a mapping that leaves it out",
    {
      "x/nuget.config": config(
        source("a"),
        `<packageSourceMapping>${mapping("a", "Other.*")}</packageSourceMapping>`,
      ),
    },
    [],
  ],
];
for (const [what, files, requests] of feeds)
  test(`feeds: ${what}`, (t) => {
    const all = { ...files, "x/A.csproj": items(reference("Acme.One", `Version="1.0"`)) };
    const [dependency] = nuget.parse(read(all, "/x"), none).dependencies;
    const { origin, extra } = dependency ?? {};
    if (requests.length > 0)
      return t.deepEqual(
        [origin?.kind === "registry" ? origin.url : "", ...(extra?.repositories?.split(" ") ?? [])],
        requests,
      );
    t.deepEqual(origin, {
      kind: "none",
      why: "nuget.config names no feed of the third version for acme.one.",
    });
  });

const old = (version: string): string =>
  `<packages>\n  <package id="Acme.Thing" version="${version}" allowedVersions="[1,3)" targetFramework="net48" />\n</packages>\n`;
for (const hint of ["..\\packages\\Acme.Thing.1.0.0\\lib\\net45\\Acme.dll", "lib\\Acme.dll"])
  test(`packages.config of a project that names ${hint}`, async (t) => {
    await using feed = await nugetFeed();
    await using tools = workshop();
    for (const version of ["1.0.0", "2.5.0", "3.0.0"]) feed.publish("Acme.Thing", version);
    const files = {
      "A.csproj": items(`<Reference Include="Acme"><HintPath>${hint}</HintPath></Reference>`),
      "packages.config": old("1.0.0"),
    };
    const edit = await updated(files, "acme.thing", feed, tools);
    if (typeof edit === "string") return t.fail(edit);
    t.deepEqual([...edit.files], [["packages.config", old("2.5.0")]]);
    t.regex(
      edit.lock.kind === "stale" ? edit.lock.note : edit.lock.kind,
      hint.includes("1.0.0")
        ? /^A\.csproj names the directory of acme\.thing 1\.0\.0, .*`nuget update packages\.config`/
        : /^absent$/,
    );
  });

test("an interval starts at the wanted version, since NuGet takes its lowest", async (t) => {
  await using feed = await nugetFeed();
  await using tools = workshop();
  for (const version of ["1.0.0", "1.5.0", "2.1.0"]) feed.publish("Acme.Thing", version);
  const edit = await updated({ "A.csproj": project("[1.0.0, 2.0)") }, "acme.thing", feed, tools);
  if (typeof edit === "string") return t.fail(edit);
  t.deepEqual([...edit.files], [["A.csproj", project("[2.1.0, 3.0)")]]);
});
