/** What a lock file says of each version of a package, from its registry. */
import type { Lookup } from "../../registries/contract.js";
import { decodeBody, packageAddress, SHORT } from "./packument.js";

export interface RegistryDocument {
  readonly latest?: string;
  readonly versions: Readonly<Record<string, RegistryVersion>>;
}

interface RegistryVersion {
  readonly tarball: string;
  readonly shasum?: string;
  readonly integrity?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

interface Packument {
  readonly "dist-tags"?: { readonly latest?: string };
  readonly versions: Readonly<
    Record<
      string,
      Partial<Pick<RegistryVersion, "dependencies" | "optionalDependencies">> & {
        readonly dist: Pick<RegistryVersion, "tarball" | "shasum" | "integrity">;
      }
    >
  >;
}

export const registryDocument = (
  registry: string,
  name: string,
  lookup: Lookup,
): Promise<RegistryDocument> =>
  lookup.fetch<RegistryDocument>({
    url: packageAddress(registry, name),
    accept: SHORT,
    purpose: "document",
    digest: ({ body }) => {
      const document = JSON.parse(decodeBody(body)) as Packument;
      const latest = document["dist-tags"]?.latest;
      const versions = Object.entries(document.versions).map(
        ([version, about]): [string, RegistryVersion] => {
          const { dependencies = {}, optionalDependencies = {}, dist } = about;
          const { tarball, shasum, integrity } = dist;
          return [
            version,
            {
              tarball,
              dependencies,
              optionalDependencies,
              ...(shasum === undefined ? {} : { shasum }),
              ...(integrity === undefined ? {} : { integrity }),
            },
          ];
        },
      );
      return {
        versions: Object.fromEntries(versions),
        ...(latest === undefined ? {} : { latest }),
      };
    },
  });
