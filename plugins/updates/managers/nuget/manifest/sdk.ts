/** The SDK of `global.json`, whose versions are tags. The third number names a band (`8.0.4xx`), which an update keeps. */
import { UpdatesError } from "../../../errors.js";
import type { Lookup } from "../../../registries/contract.js";
import { readJson } from "../../../text/json.js";
import type {
  Available,
  Declaration,
  Dependency,
  ManagerSettings,
  ProjectSources,
  Release,
  RepositoryPath,
} from "../../contract.js";
import { taggedReleases } from "../../git-tags.js";
import { configuredUrl, gitOrigin } from "../../origin.js";
import { nugetVersioning } from "../versions.js";
import { named } from "./files.js";

const NAME = "dotnet-sdk";
const SECTION = "sdk";

/** One for each version that the files name. Files that cannot be read are reported elsewhere. */
export function sdkDependencies(
  { files }: ProjectSources,
  settings: ManagerSettings,
): readonly Dependency[] {
  const declarations = [...files]
    .filter(([file]) => named(file, "global.json"))
    .flatMap(([file, text]) => sdkIn(file, text));
  const url =
    configuredUrl(settings, "nuget", (scope) => scope === NAME) ?? "https://github.com/dotnet/sdk";
  return [...Map.groupBy(declarations, ({ requirement }) => requirement)].map(
    ([version, group]): Dependency => ({
      ...{ id: `${NAME}@${version}`, name: NAME, declarations: group, development: true },
      ...{ origin: { kind: "git", url }, current: version },
    }),
  );
}

function sdkIn(file: RepositoryPath, text: string): readonly Declaration[] {
  try {
    return readJson(file, text, { comments: true })
      .texts("sdk")
      .filter(({ key, value }) => key === "version" && bandOf(value) !== undefined)
      .map(({ value: requirement, range }) => ({
        ...{ file, range, requirement, section: SECTION, development: true },
      }));
  } catch (error) {
    if (error instanceof UpdatesError) return [];
    throw error;
  }
}

export const isSdk = ({ origin }: Dependency): boolean => origin.kind === "git";

/** Of the tags those of versions, without their `v`. */
export async function sdkAvailable(dependency: Dependency, lookup: Lookup): Promise<Available> {
  const releases = await taggedReleases(gitOrigin(dependency).url, lookup, (tag) =>
    nugetVersioning.isVersion(tag.replace(/^v/, "")),
  );
  return { releases: releases.map(({ version }) => ({ version: version.replace(/^v/, "") })) };
}

export const sdkComparable = (
  { current = "" }: Dependency,
  { releases }: Available,
): readonly Release[] =>
  releases.filter(
    ({ version }) => bandOf(version) !== undefined && bandOf(version) === bandOf(current),
  );

/** `8.0.404` → `8.0.4`. */
const bandOf = (version: string): string | undefined =>
  /^(\d+\.\d+\.\d+)\d\d(?:-|$)/.exec(version)?.[1];
