/** From a release on a NuGet feed to a clone that `dotnet` itself restores: notification, pull request, lock file, merge. */
import ava from "ava";
import { answer } from "../../../../tests/support/answers.js";
import { fetched, needs } from "../../../../tests/support/needs.js";
import { dotnetDirectory, dotnetFolder } from "../../testing/dotnet.js";
import { updatesFixture } from "../../testing/fixture.js";
import { workshop } from "../../testing/manager-fixture.js";
import { read } from "../../testing/nuget-cases.js";
import { type NugetFeed, nugetFeed } from "../../testing/nuget-feed.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";
import { updatedBy } from "../../testing/propose-update.js";
import type { ManagerSettings } from "../contract.js";
import { nuget } from "./manager.js";

const test = needs(ava, fetched("dotnet-sdk-*", ".NET"));

type Texts = Readonly<Record<string, string>>;

const app = (version: string): string =>
  `<Project Sdk="Microsoft.NET.Sdk">\r\n  <PropertyGroup>\r\n    <TargetFrameworks>netcoreapp3.1;net472</TargetFrameworks>\r\n    <RestorePackagesWithLockFile>true</RestorePackagesWithLockFile>\r\n  </PropertyGroup>\r\n  <ItemGroup>\r\n    <PackageReference Include="Acme.Thing" Version="${version}" />\r\n    <ProjectReference Include="../lib/Lib.csproj" />\r\n  </ItemGroup>\r\n</Project>\r\n`;
const lib = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>netstandard2.0</TargetFramework><DisableImplicitFrameworkReferences>true</DisableImplicitFrameworkReferences></PropertyGroup><ItemGroup><PackageReference Include="Acme.Base" Version="1.0.0" /></ItemGroup></Project>\n`;
const config = (feed: string): string =>
  `<configuration><packageSources><clear /><add key="acme" value="${feed}" /></packageSources></configuration>\n`;

/** The files with the lock file that `dotnet restore` makes. */
async function restored(
  { url, published }: NugetFeed,
  files: Texts,
  ...options: readonly string[]
): Promise<Texts> {
  const argv = ["restore", "app/App.csproj", ...options];
  const restore = async (): Promise<Texts> => {
    await using folder = await dotnetFolder(files);
    await folder.dotnet(...argv);
    return { ...files, ...(await folder.locks()) };
  };
  return answer([await dotnetDirectory(), argv, files, published], restore, url);
}

test.serial("a release is merged with its lock file, to which dotnet keeps", async (t) => {
  t.timeout(120_000);
  await using feed = await nugetFeed();
  feed.publish("Acme.Base", "1.0.0");
  feed.publish("Acme.Thing", "1.0.0");
  const files = await restored(feed, {
    ...{ "app/App.csproj": app("1.0.0"), "lib/Lib.csproj": lib, "nuget.config": config(feed.url) },
    "App.sln": `"app\\App.csproj"`,
  });
  const at = await updatesFixture(t, { inside: `registry "nuget" { url = "${feed.url}" }` });
  const repo = await at.repo("app", files);
  await at.config(repo, rules("nuget"));
  feed.publish("Acme.New", "0.1.0", { needs: { "": { "Acme.Base": "1.1.0" } } });
  feed.publish("Acme.Base", "1.1.0");
  const needs = { ".NETCoreApp3.1": { "Acme.New": "0.1.0" }, ".NETFramework4.6.1": {} };
  feed.publish("Acme.Thing", "1.0.1", { signed: true, needs });
  await notify(at, "nuget", "ACME.thing", "1.0.1");
  await at.pulls(1, "state=merged");
  const merged = await clonedFiles(t, at, repo);
  t.is(merged["app/App.csproj"], app("1.0.1"));
  t.deepEqual(await restored(feed, merged, "--locked-mode"), merged);
  t.deepEqual(await restored(feed, merged, "--force-evaluate"), merged);

  feed.publish("Acme.Thing", "1.0.2", { needs: { "": { "Acme.Gone": "[1.0.0, )" } } });
  await notify(at, "nuget", "Acme.Thing", "1.0.2");
  await at.plugin.until(
    async () =>
      /no version of Acme\.Gone is what is asked for/.test(
        String((await at.pulls(1, "state=open"))[0]?.attributes["automerge-reason"]),
      ),
    "the reason why it waits",
  );
  t.is((await at.pulls(1, "state=merged")).length, 1);
});

test.serial(
  "dotnet itself makes the lock file where it may and has to, and says why it cannot",
  async (t) => {
    t.timeout(120_000);
    process.env.PATH = `${await dotnetDirectory()}:${process.env.PATH}`;
    await using feed = await nugetFeed();
    await using tools = workshop();
    // What is needed on some machines alone is in the package, where only NuGet looks.
    const runtime = `{"runtimes":{"linux-x64":{"Acme.Thing":{"Acme.Linux":"1.0.0"}}}}`;
    feed.publish("Acme.Base", "1.0.0");
    feed.publish("Acme.Linux", "1.0.0");
    feed.publish("Acme.Thing", "1.0.0", { runtime });
    const project = app("1.0.0")
      .replace("netcoreapp3.1;net472", "netstandard2.0")
      .replace("<Restore", "<RuntimeIdentifiers>linux-x64</RuntimeIdentifiers><Restore")
      .replace(
        "<Restore",
        "<DisableImplicitFrameworkReferences>true</DisableImplicitFrameworkReferences><Restore",
      );
    const files = await restored(feed, {
      ...{ "app/App.csproj": project, "lib/Lib.csproj": lib },
      ...{ "nuget.config": config(feed.url), "App.sln": `"app\\App.csproj"` },
    });
    feed.publish("Acme.Thing", "1.1.0", { runtime });
    const sources = read(files);
    const registries = [{ manager: "nuget" as const, url: feed.url }];
    const wanting = { manager: nuget, sources, name: "acme.thing", tools };
    const stale = await updatedBy({ ...wanting, settings: { registries } });
    t.like(stale.lock, { kind: "stale" });
    const settings: ManagerSettings = { registries, unsafe: ["nuget"] };
    const edit = await updatedBy({ ...wanting, settings });
    t.deepEqual(edit.lock, { kind: "refreshed", tier: "tool", by: "dotnet 3.1.102" });
    const after = { ...files, ...Object.fromEntries(edit.files) };
    t.regex(after["app/packages.lock.json"] ?? "", /linux-x64[\s\S]*"requested": "\[1\.1\.0, \)"/);
    t.deepEqual(await restored(feed, after, "--locked-mode"), after);

    feed.publish("Acme.Thing", "1.2.0", { runtime, needs: { "": { "Acme.Base": "[0.9.0]" } } });
    feed.publish("Acme.Base", "0.9.0");
    await t.throwsAsync(updatedBy({ ...wanting, settings }), {
      code: "does_not_resolve",
      message: /NU1107/,
    });
  },
);
