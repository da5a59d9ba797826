/** Runs NuGet's own `RestoreCommand` for many projects at a time, with the input that MSBuild would give it. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { answer, type Served, source } from "../../../tests/support/answers.js";
import { dotnetDirectory, dotnetFolder, runInNuget } from "./dotnet.js";

export interface RestoredProject {
  /** Its requirements, by package. */
  readonly asks: Readonly<Record<string, string>>;
  readonly frameworks: readonly string[];
  /** Names of referenced projects. */
  readonly refers?: readonly string[];
  /** The existing lock file, which restore must respect. */
  readonly lock?: string;
}

const PROGRAM = `
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using NuGet.Commands;
using NuGet.Common;
using NuGet.Configuration;
using NuGet.ProjectModel;
using NuGet.Protocol;
using NuGet.Protocol.Core.Types;

class Program {
  static void Main(string[] args) {
    var input = File.ReadAllLines(args[0]);
    using (var cache = new SourceCacheContext()) {
      var settings = Settings.LoadDefaultSettings(input[1]);
      var sources = new CachingSourceProvider(new PackageSourceProvider(settings));
      var provider = new DependencyGraphSpecRequestProvider(
        new RestoreCommandProvidersCache(), DependencyGraphSpec.Load(input[0]));
      var restore = new RestoreArgs {
        AllowNoOp = false, CacheContext = cache, CachingSourceProvider = sources, Log = NullLogger.Instance,
        PreLoadedRequestProviders = new List<IPreLoadedRestoreRequestProvider> { provider },
      };
      foreach (var summary in RestoreRunner.RunAsync(restore).Result)
        Console.WriteLine(string.Join("\\t", Path.GetFileNameWithoutExtension(summary.InputPath), summary.Success,
          string.Join(" ", summary.Errors.Select(each => each.Message.Split((char)10)[0]))));
    }
  }
}`;

interface RestoredLock {
  /** Undefined where restore fails. */
  readonly lock: string | undefined;
  /** The messages of NuGet. */
  readonly why: string;
}

type Projects = Readonly<Record<string, RestoredProject>>;
type Locks = ReadonlyMap<string, RestoredLock>;

/** The new lock files by project. */
export async function restoredByNuget(
  { url, published }: Served,
  projects: Projects,
): Promise<Locks> {
  const inputs = [await dotnetDirectory(), source(import.meta.url), projects, published];
  return new Map(await answer(inputs, async () => [...(await restored(url, projects))], url));
}

async function restored(feed: string, projects: Projects): Promise<Locks> {
  await using folder = await dotnetFolder({ "nuget.config": "<configuration />" });
  const projectFile = (name: string): string => join(folder.path, name, `${name}.csproj`);
  const entries = await Promise.all(
    Object.entries(projects).map(async ([name, project]) => {
      await mkdir(join(folder.path, name));
      if (project.lock !== undefined)
        await folder.write({ [`${name}/packages.lock.json`]: project.lock });
      return [projectFile(name), specification(name, project)] as const;
    }),
  );
  await folder.write({
    "graph.json": JSON.stringify({
      format: 1,
      restore: Object.fromEntries(entries.map(([path]) => [path, {}])),
      projects: Object.fromEntries(entries),
    }),
  });
  const answers = await runInNuget(PROGRAM, [join(folder.path, "graph.json"), folder.path]);
  const found = answers.map(async (answer): Promise<readonly [string, RestoredLock]> => {
    const [name = "", isDone, why = ""] = answer.split("\t");
    const path = join(folder.path, name, "packages.lock.json");
    return [name, { lock: isDone === "True" ? await readFile(path, "utf8") : undefined, why }];
  });
  return new Map(await Promise.all(found));

  function specification(name: string, { frameworks, asks, refers = [], lock }: RestoredProject) {
    const references = Object.fromEntries(
      refers.map((other) => [projectFile(other), { projectPath: projectFile(other) }]),
    );
    const dependencies = Object.fromEntries(
      Object.entries(asks).map(([each, version]) => [each, { target: "Package", version }]),
    );
    const ofFrameworks = <T>(value: T) =>
      Object.fromEntries(frameworks.map((framework) => [framework, value]));
    return {
      version: "1.0.0",
      restore: {
        ...{
          projectUniqueName: projectFile(name),
          projectName: name,
          projectPath: projectFile(name),
        },
        packagesPath: join(folder.path, "packages"),
        outputPath: join(folder.path, name, "obj"),
        projectStyle: "PackageReference",
        crossTargeting: true,
        configFilePaths: [join(folder.path, "nuget.config")],
        originalTargetFrameworks: frameworks,
        sources: { [feed]: {} },
        frameworks: ofFrameworks({ projectReferences: references }),
        warningProperties: { warnAsError: ["NU1605"] },
        restoreLockProperties: {
          restorePackagesWithLockFile: "true",
          ...(lock === undefined ? {} : { restoreLockedMode: true }),
        },
      },
      frameworks: ofFrameworks({ dependencies }),
    };
  }
}
