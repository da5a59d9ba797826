/** Solutions with everything that can name a version, feeds, and lock files. */
import test from "ava";
import fc from "fast-check";
import { workshop } from "../../testing/manager-fixture.js";
import { project, read, updated } from "../../testing/nuget-cases.js";
import { nugetFeed } from "../../testing/nuget-feed.js";
import type { ManagerSettings } from "../contract.js";
import { nuget } from "./manager.js";

const none: ManagerSettings = { registries: [] };

const APP = `<Project Sdk="Microsoft.NET.Sdk;Acme.Sdk/1.4.0">
  <PropertyGroup><Shared>2.0.0</Shared></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Acme.Attribute" Version="1.0.0" />
    <PackageReference Include="Acme.Child"><Version>1.1.0</Version><PrivateAssets>all</PrivateAssets></PackageReference>
    <PackageReference Update="Acme.Range" Version="[1.0, 2.0)" />
    <PackageReference Include="Acme.One" Version="$(Shared)" />
    <PackageReference Include="Acme.Two" Version="$(Shared)" />
    <PackageReference Include="Acme.Above" Version="$(AboveVersion)" />
    <PackageReference Include="Acme.Central" />
    <PackageReference Include="Acme.Overridden" VersionOverride="4.0.0" />
    <PackageReference Include="Acme.Unknown" Version="$(FromElsewhere)" />
    <DotNetCliToolReference Include="Acme.Tool" Version="1.2.0" />
    <ProjectReference Include="..\\lib\\Lib.fsproj" />
  </ItemGroup>
  <Import Project="build\\extra.props" />
</Project>
`;
const everything = {
  "App.sln": `Project("{FAE0}") = "Web", "web\\Web.vbproj", "{1}"\nEndProject\n`,
  "app/App.csproj": APP,
  "lib/Lib.fsproj": `<Project><ItemGroup><PackageReference include="acme.attribute" version="0.9.0"/></ItemGroup></Project>\n`,
  "web/Web.vbproj": `<Project><ItemGroup><PackageReference Include="Acme.Web" Version="1.*"/></ItemGroup></Project>\n`,
  "web/packages.config": `<?xml version="1.0"?>\n<packages>\n  <package id="Acme.Old" version="3.0" targetFramework="net48" />\n  <package id="Acme.Dev" version="3.1" developmentDependency="true" />\n</packages>\n`,
  "app/build/extra.props": `<Project><ItemGroup><PackageReference Include="Acme.Imported" Version="5.0.0"/></ItemGroup></Project>\n`,
  "Directory.Packages.props": `<Project><PropertyGroup><AboveVersion>6.0.0</AboveVersion></PropertyGroup><ItemGroup><PackageVersion Include="Acme.Central" Version="7.0.0"/><GlobalPackageReference Include="Acme.Global" Version="7.1.0"/></ItemGroup></Project>\n`,
  "global.json": `{ // which SDK
  /* and of others */ "sdk": { "version": "8.0.100" }, "msbuild-sdks": { "Acme.Build": "8.1.0" } }\n`,
  ".config/dotnet-tools.json": `{ "version": 1, "tools": { "acme-cli": { "version": "9.0.0", "commands": ["acme"] } } }\n`,
  "NuGet.Config": `<configuration><packageSources><clear/><add key="a" value="https://nuget.acme.example/v3/index.json"/><add key="b" value="https://%TOKEN%.example/index.json"/><add key="c" value="./local"/></packageSources></configuration>\n`,
  "other/Other.csproj": "<Project/>",
};

test("a solution's projects, their references, imports and parent files are read", (t) => {
  const { "App.sln": _, ...rest } = everything;
  t.deepEqual(
    [
      ...read({
        ...everything,
        "App.sln": everything["App.sln"].replace("web\\Web.vbproj", "app\\App.csproj"),
      }).files.keys(),
    ].sort(),
    Object.keys(everything)
      .filter((name) => !/^(?:other|web)/.test(name))
      .sort(),
  );
  t.deepEqual(
    [...read(rest, "/app").files.keys()].sort(),
    [
      "Directory.Packages.props",
      "NuGet.Config",
      "app/App.csproj",
      "app/build/extra.props",
      "global.json",
      "lib/Lib.fsproj",
    ].sort(),
  );
  t.deepEqual([...read({ "a/B.csproj": "", "nuget.config": "" }).files], []);
});

test("every version is found, with its kind", (t) => {
  const files = { ...everything, "App.sln": `"app\\App.csproj" "web\\Web.vbproj"` };
  const { dependencies, broken } = nuget.parse(read(files), none);
  t.deepEqual(broken, []);
  const rows = dependencies.map(({ name, current, development, declarations, together }) => {
    const locations = declarations.map(({ section, requirement }) => `${section} ${requirement}`);
    const word = together === undefined ? "" : ` (${together})`;
    return `${name} ${current ?? "-"}: ${locations.join(", ")}${development ? " dev" : ""}${word}`;
  });
  t.deepEqual(rows.sort(), [
    "acme-cli 9.0.0: tools 9.0.0 dev",
    "acme.above 6.0.0: PackageReference 6.0.0",
    "acme.attribute 0.9.0: PackageReference 1.0.0, PackageReference 0.9.0",
    "acme.build 8.1.0: msbuild-sdks 8.1.0 dev",
    "acme.central 7.0.0: PackageVersion 7.0.0",
    "acme.child 1.1.0: PackageReference 1.1.0 dev",
    "acme.dev 3.1: packages 3.1 dev",
    "acme.global 7.1.0: GlobalPackageReference 7.1.0 dev",
    "acme.imported 5.0.0: PackageReference 5.0.0",
    "acme.old 3.0: packages 3.0",
    "acme.one 2.0.0: PackageReference 2.0.0 (app/App.csproj Shared)",
    "acme.overridden 4.0.0: PackageReference 4.0.0",
    "acme.range 1.0: PackageReference [1.0, 2.0)",
    "acme.sdk 1.4.0: Sdk 1.4.0 dev",
    "acme.tool 1.2.0: DotNetCliToolReference 1.2.0 dev",
    "acme.two 2.0.0: PackageReference 2.0.0 (app/App.csproj Shared)",
    "acme.unknown -: ",
    "acme.web 1.0.0: PackageReference 1.*",
    "dotnet-sdk 8.0.100: sdk 8.0.100 dev",
  ]);
  const [one] = dependencies;
  t.deepEqual(one?.origin, { kind: "registry", url: "https://nuget.acme.example/v3/index.json" });
});

test("feeds: the instance's by the longest beginning of the name, else the configuration's, else nuget.org", (t) => {
  const requestsFor = (
    files: Readonly<Record<string, string>>,
    settings: ManagerSettings,
  ): unknown => {
    const [dependency] = nuget.parse(read(files), settings).dependencies;
    return dependency?.origin.kind === "registry"
      ? [dependency.origin.url, ...(dependency.extra?.repositories?.split(" ") ?? [])]
      : undefined;
  };
  const project = {
    "A.csproj": `<Project><ItemGroup><PackageReference Include="Acme.A" Version="1.0"/></ItemGroup></Project>`,
  };
  const open = everything["NuGet.Config"].replace("<clear/>", "");
  const org = "https://api.nuget.org/v3/index.json";
  const acme = "https://nuget.acme.example/v3/index.json";
  t.deepEqual(requestsFor(project, none), [org]);
  t.deepEqual(requestsFor({ ...project, "nuget.config": open }, none), [acme, org]);
  const own = [
    "https://all.example/index.json",
    "https://acme.example/index.json",
    "https://ac.example/index.json",
  ];
  const registries = [undefined, "acme", "Ac"].map((scope, index) => ({
    ...{ manager: "nuget" as const, url: own[index] ?? "" },
    ...(scope === undefined ? {} : { scope }),
  }));
  t.deepEqual(requestsFor({ ...project, "nuget.config": open }, { registries }), [own[1]]);
});

test("a project that is no XML is broken, and the rest goes on", (t) => {
  const found = nuget.parse(
    read({
      "A.csproj": "<Project",
      "packages.config": everything["web/packages.config"],
      "packages.lock.json": "{",
    }),
    none,
  );
  t.is(found.broken.length, 2);
  t.regex(found.broken[0]?.why ?? "", /^A\.csproj cannot be read as XML: /);
  t.is(found.dependencies.length, 2);
});

test("for any project, nothing throws and every range has its value", (t) => {
  const bit = fc.constantFrom(
    ...[
      "<Project>",
      "</Project>",
      "<ItemGroup>",
      '<PackageReference Include="A" Version="1"/>',
      "<Version>2</Version>",
    ],
    ...[
      "<PropertyGroup><V>$(V)</V></PropertyGroup>",
      '<PackageReference Include="B" Version="$(V)"/>',
      "&amp;",
      "<!--",
      "-->",
    ],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(bit, fc.string()), { maxLength: 20 }), (bits) => {
      const text = `<Project>${bits.join("")}</Project>`;
      for (const { declarations } of nuget.parse(read({ "A.csproj": text }), none).dependencies)
        for (const { range, requirement } of declarations)
          t.is(text.slice(range.start, range.end), requirement);
    }),
  );
});

for (const registrations of [true, false])
  test(`a feed ${registrations ? "with" : "without"} registrations, in pages: unlisted, deprecated and unfinished versions are left out`, async (t) => {
    await using feed = await nugetFeed({ registrations });
    await using tools = workshop();
    for (const version of ["0.1.0", "0.2.0", "0.3.0", "1.0.0", "1.1.0", "1.2.0"])
      feed.publish("Acme.Thing", version);
    if (registrations) {
      feed.publish("Acme.Thing", "1.3.0", { listed: false });
      feed.publish("Acme.Thing", "1.4.0", { deprecated: "no good" });
    }
    feed.publish("Acme.Thing", "2.0.0-beta.1");
    const edit = await updated({ "A.csproj": project("1.0.0") }, "acme.thing", feed, tools);
    if (typeof edit === "string") return t.fail(edit);
    t.deepEqual([...edit.files], [["A.csproj", project("1.2.0")]]);
    t.is(edit.lock.kind, "absent");
  });

test("the repository of a release is the feed's", async (t) => {
  await using feed = await nugetFeed();
  await using tools = workshop();
  feed.publish("Acme.Thing", "1.1.0", { projectUrl: "https://github.com/acme/thing" });
  const settings: ManagerSettings = { registries: [{ manager: "nuget", url: feed.url }] };
  const [dependency] = nuget.parse(read({ "A.csproj": project("1.0.0") }), settings).dependencies;
  if (!dependency) return t.fail();
  t.deepEqual(await nuget.source?.(dependency, { version: "1.1.0" }, tools.lookup), {
    url: "https://github.com/acme/thing",
  });
});
