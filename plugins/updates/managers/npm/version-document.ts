/** What an npm registry tells of one version: asked once, whoever wants to know. */
import type { Lookup } from "../../registries/contract.js";
import { decodeBody, packageAddress } from "./packument.js";

/** As the registry has it, without what nobody here reads: readmes, maintainers, signatures. */
export interface VersionDocument {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly repository?: unknown;
  readonly dist?: { readonly tarball?: unknown; readonly integrity?: unknown };
  readonly [field: string]: unknown;
}

const read: readonly string[] = [
  ...["name", "version", "repository", "deprecated", "license", "engines", "os", "cpu", "libc"],
  ...["dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta"],
  ...["bundleDependencies", "bundledDependencies", "acceptDependencies", "_hasShrinkwrap"],
  ...["bin", "directories", "funding", "workspaces", "gypfile", "hasInstallScript", "scripts"],
];

/** @throws UpdatesError as `lookup.fetch` */
export const versionDocument = (
  lookup: Lookup,
  registry: string,
  name: string,
  version: string,
): Promise<VersionDocument> =>
  lookup.fetch({
    url: `${packageAddress(registry, name)}/${encodeURIComponent(version)}`,
    accept: "application/json",
    purpose: "version",
    digest: ({ body }): VersionDocument => {
      const document = JSON.parse(decodeBody(body)) as VersionDocument;
      const { tarball, integrity } = document.dist ?? {};
      return {
        ...Object.fromEntries(read.map((field) => [field, document[field]])),
        dist: { tarball, integrity },
      };
    },
  });
