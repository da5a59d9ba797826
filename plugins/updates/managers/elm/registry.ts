/** What the package site says: versions with their dates, and the elm.json of each. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { Available, Dependency, Release } from "../contract.js";
import { compareElm, elmRuns, elmVersioning } from "./versioning.js";

/** Names go into addresses, so there is no more in them than Elm allows. */
export const isElmName = (name: string): boolean => /^[A-Za-z0-9-]+\/[A-Za-z0-9-]+$/.test(name);

const parsed = (body: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(body));

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
      Object.entries(parsed(body) as Readonly<Record<string, number>>)
        .map(([version, seconds]) => ({ version, published: seconds * 1000 }))
        .filter(({ version }) => elmVersioning.isVersion(version))
        .sort((a, b) => compareElm(b.version, a.version)),
  });

export interface Published {
  /** Range by name. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The versions of Elm it is for, as a range. */
  readonly elm: string;
}

/** Undefined for what has no elm.json: it was made for an Elm before 0.19. @throws as the look-up */
export async function elmPublished(
  registry: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Published | undefined> {
  if (!isElmName(name) || !elmVersioning.isVersion(version)) return undefined;
  try {
    return await lookup.fetch<Published>({
      url: `${registry}/packages/${name}/${version}/elm.json`,
      purpose: "manifest",
      digest: ({ body }) => {
        const about = parsed(body) as {
          readonly dependencies?: Readonly<Record<string, string>>;
          readonly "elm-version"?: string;
        };
        return { dependencies: about.dependencies ?? {}, elm: about["elm-version"] ?? "" };
      },
    });
  } catch (thrown) {
    if (thrown instanceof UpdatesError && thrown.code === "package_unknown") return undefined;
    throw thrown;
  }
}

/**
 * With the Elm that the newest ones are for, down to one that the project's Elm can use. What is older is looked at when it is
 * tried.
 */
export async function elmAvailable(
  { name, origin, current, extra }: Dependency,
  lookup: Lookup,
): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No registry is known for ${name}.`);
  const releases: Release[] = [...(await elmReleases(origin.url, name, lookup))];
  for (const [at, release] of releases.entries()) {
    if (current === undefined || compareElm(release.version, current) <= 0) break;
    const about = await elmPublished(origin.url, name, release.version, lookup);
    releases[at] = about
      ? { ...release, runtime: { elm: about.elm } }
      : { ...release, withdrawn: "It has no elm.json, so it is for an Elm before 0.19." };
    if (about && elmRuns(extra?.elm, about.elm)) break;
  }
  return { releases };
}
