/** Requests to the package site: the versions of a package with their dates, and the elm.json of each. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import type { Available, Dependency, Release } from "../contract.js";
import { registryUrl } from "../origin.js";
import { compareElm, elmRuns, elmVersioning } from "./versions.js";

/** Elm's rule for names. Names become a part of URLs. */
export const isElmName = (name: string): boolean => /^[A-Za-z0-9-]+\/[A-Za-z0-9-]+$/.test(name);

/** Newest first. */
export const elmReleases = (
  registry: string,
  name: string,
  lookup: Lookup,
): Promise<readonly { readonly version: string; readonly published: number }[]> =>
  lookup.fetch({
    url: `${registry}/packages/${name}/releases.json`,
    purpose: "versions",
    digest: ({ body }) =>
      Object.entries(decodeJsonBody(body) as Readonly<Record<string, number>>)
        .map(([version, seconds]) => ({ version, published: seconds * 1000 }))
        .filter(({ version }) => elmVersioning.isVersion(version))
        .sort((a, b) => compareElm(b.version, a.version)),
  });

export interface ElmManifest {
  /** Range by name. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The range of Elm versions that it supports. */
  readonly elm: string;
}

/** Undefined for a release without elm.json, made for an Elm before 0.19. @throws as the lookup */
export async function elmManifest(
  registry: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<ElmManifest | undefined> {
  if (!isElmName(name) || !elmVersioning.isVersion(version)) return undefined;
  try {
    return await lookup.fetch<ElmManifest>({
      url: `${registry}/packages/${name}/${version}/elm.json`,
      purpose: "manifest",
      digest: ({ body }) => {
        const manifest = decodeJsonBody(body) as {
          readonly dependencies?: Readonly<Record<string, string>>;
          readonly "elm-version"?: string;
        };
        return { dependencies: manifest.dependencies ?? {}, elm: manifest["elm-version"] ?? "" };
      },
    });
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return undefined;
    throw error;
  }
}

/** Reads the manifests of the newest releases, down to the first that the project's Elm can use. */
export async function elmAvailable(dependency: Dependency, lookup: Lookup): Promise<Available> {
  const registry = registryUrl(dependency);
  const { name, current, extra } = dependency;
  const releases: Release[] = [...(await elmReleases(registry, name, lookup))];
  for (const [index, release] of releases.entries()) {
    if (current === undefined || compareElm(release.version, current) <= 0) break;
    const manifest = await elmManifest(registry, name, release.version, lookup);
    releases[index] = manifest
      ? { ...release, runtime: { elm: manifest.elm } }
      : { ...release, withdrawn: "It has no elm.json, so it is for an Elm before 0.19." };
    if (manifest && elmRuns(extra?.elm, manifest.elm)) break;
  }
  return { releases };
}
