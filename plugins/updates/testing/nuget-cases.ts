/** Common steps of NuGet tests. */

import { propose } from "../decide/propose.js";
import type {
  ManagerSettings,
  ProjectSources,
  Tools,
  UpdateEdit,
  VersionChange,
} from "../managers/contract.js";
import { LockFallback } from "../managers/lock/refresh.js";
import { nuget } from "../managers/nuget/manager.js";
import { moveLocked } from "../managers/nuget/resolve/lock.js";
import { nugetVersioning } from "../managers/nuget/versions.js";
import { asWanted, repository } from "./manager-fixture.js";
import type { NugetFeed } from "./nuget-feed.js";

/** A project that uses `Acme.Thing`. */
export const project = (version: string): string =>
  `<Project><ItemGroup><PackageReference Include="Acme.Thing" Version="${version}" /></ItemGroup></Project>\n`;

/** Reads files until the manager requests no more. */
export function read(files: Readonly<Record<string, string>>, directory = "/"): ProjectSources {
  return asWanted(nuget, repository(files, { directory }));
}

/** The updated files, or the reason for none. */
export async function updated(
  files: Readonly<Record<string, string>>,
  name: string,
  feed: NugetFeed,
  tools: Tools,
): Promise<UpdateEdit | string> {
  const settings: ManagerSettings = { registries: [{ manager: "nuget", url: feed.url }] };
  const sources = read(files);
  const dependency = nuget.parse(sources, settings).dependencies.find((each) => each.name === name);
  if (!dependency) throw new Error(name);
  const decision = await propose({
    ...{ manager: nuget, dependency, runtime: {}, library: false, advisories: [], now: 0 },
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
    lookup: tools.lookup.fresh(),
  });
  if (decision.kind !== "update") return decision.why;
  return nuget.update({ sources, settings, changes: [decision.change] }, tools);
}

/** A change of one requirement to a version, or to a requirement. */
export const moving = (name: string, from: string, to: string): VersionChange => ({
  dependency: {
    ...{ id: name.toLowerCase(), name: name.toLowerCase(), development: false, current: undefined },
    origin: { kind: "none", why: "It is not asked." },
    declarations: [
      {
        ...{ file: "App.csproj", range: { start: 0, end: 0 }, requirement: from },
        ...{ section: "PackageReference", development: false },
      },
    ],
  },
  to: { version: nugetVersioning.floor(to) ?? to },
  requirements: [to],
});

/** The refreshed lock file, or why it cannot be refreshed in process. */
export async function relocked(
  ...input: Parameters<typeof moveLocked>
): Promise<{ readonly text?: string; readonly why?: string }> {
  try {
    return { text: await moveLocked(...input) };
  } catch (error) {
    if (error instanceof LockFallback) return { why: error.message };
    throw error;
  }
}
