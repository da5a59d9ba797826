/** One of 50 packages moves in a packages.lock.json: in process, and by dotnet, which has all others there already. */
import { managerOf } from "../../../plugins/updates/managers/index.js";
import { dotnetDirectory, dotnetFolder } from "../../../plugins/updates/testing/dotnet.js";
import { nugetFeed } from "../../../plugins/updates/testing/nuget-feed.js";
import { median } from "../../support/table.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";
import { timedUpdate } from "./timed.js";

const ROUNDS = 5;
const COUNT = 50;
const LOCK = "packages.lock.json";

const project = (): string =>
  `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>netcoreapp3.1</TargetFramework>
    <RestorePackagesWithLockFile>true</RestorePackagesWithLockFile>
  </PropertyGroup>
  <ItemGroup>
${names(COUNT)
  .map((name) => `    <PackageReference Include="${name}" Version="1.0.0" />\n`)
  .join("")}  </ItemGroup>
</Project>
`;

export const nugetRace: LockRace = {
  manager: "nuget",
  program: "dotnet",
  brings: dotnetDirectory,
  run: async () => {
    await using feed = await nugetFeed();
    for (const name of names(COUNT)) feed.publish(name, "1.0.0");
    let files: Readonly<Record<string, string>> = {
      "App.csproj": project(),
      "nuget.config": `<configuration><packageSources><clear /><add key="acme" value="${feed.url}" /></packageSources></configuration>`,
    };
    await using directory = await dotnetFolder(files);
    await directory.dotnet("restore");
    files = { ...files, ...(await directory.locks()) };
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const to = `1.0.${round}`;
      feed.publish("package-7", to);
      const manager = await managerOf("nuget");
      const timed = await timedUpdate({ manager, project: files, name: "package-7", to });
      ours.push(timed.milliseconds);
      await directory.write({ "App.csproj": timed.files.get("App.csproj") ?? "" });
      const started = performance.now();
      await directory.dotnet("restore", "--force-evaluate", "--no-cache");
      theirs.push(performance.now() - started);
      const locks = await directory.locks();
      if (locks[LOCK] !== timed.files.get(LOCK)) throw new Error("the lock files differ");
      files = { ...files, ...Object.fromEntries(timed.files) };
    }
    return { ours: median(ours), theirs: median(theirs), moved: `one of ${COUNT} packages` };
  },
};
