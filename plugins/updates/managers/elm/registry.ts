/** What the package site says: versions with their dates, and the elm.json of each. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { Available, Dependency } from "../contract.js";
import { compareElm } from "./versioning.js";

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
        .sort((a, b) => compareElm(b.version, a.version)),
  });

export interface Published {
  /** Range by name. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The versions of Elm it is for, as a range. */
  readonly elm: string;
}

export const elmPublished = (
  registry: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Published> =>
  lookup.fetch<Published>({
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

export async function elmAvailable(
  { name, origin }: Dependency,
  lookup: Lookup,
): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No registry is known for ${name}.`);
  return { releases: await elmReleases(origin.url, name, lookup) };
}
