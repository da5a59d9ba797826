/** Reads packages of an npm registry. */

import semver from "semver";
import { UpdatesError } from "../../../errors.js";
import type { Lookup, RegistryRequest } from "../../../registries/contract.js";
import { readVersion, semverVersioning } from "../../../versions/semver.js";
import type {
  Available,
  Dependency,
  Release,
  ReleaseFields,
  SourceRepository,
} from "../../contract.js";
import { registryUrl } from "../../origin.js";
import { repositoryAddress } from "../../source.js";

interface Packument {
  readonly name?: string;
  readonly "dist-tags"?: { readonly latest?: string };
  readonly versions?: Readonly<
    Record<
      string,
      { readonly deprecated?: unknown; readonly engines?: { readonly node?: unknown } }
    >
  >;
  readonly time?: Readonly<Record<string, string>>;
  readonly description?: unknown;
}

/** The short form of the document: versions without readmes and dates. */
const SHORT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";
const FULL = "application/json";

export async function npmAvailable(
  { name, origin }: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
): Promise<Available> {
  const registry = registryUrl({ name, origin });
  return lookup.fetch(versionsQuestion(registry, name, dates));
}

const packageAddress = (registry: string, name: string): string =>
  `${registry}/${name.startsWith("@") ? `@${encodeURIComponent(name.slice(1))}` : encodeURIComponent(name)}`;

const versionsQuestion = (
  registry: string,
  name: string,
  dates: boolean,
): RegistryRequest<Available> => ({
  url: packageAddress(registry, name),
  accept: dates ? FULL : SHORT,
  purpose: "versions",
  digest: ({ body }) => {
    const document = JSON.parse(decodeBody(body)) as Packument;
    if (typeof document.versions !== "object" || document.versions === null)
      throw new Error("no versions in it");
    const latest = document["dist-tags"]?.latest;
    const entirely = latest !== undefined && isText(document.versions[latest]?.deprecated);
    const releases = Object.entries(document.versions)
      .filter(([version]) => readVersion(version) !== null)
      .map(([version, { deprecated, engines }]): Release => {
        const published = Date.parse(document.time?.[version] ?? "");
        return {
          version,
          ...(Number.isNaN(published) ? {} : { published }),
          ...(isText(deprecated) && !entirely ? { withdrawn: deprecated } : {}),
          ...(isText(engines?.node) ? { runtime: { node: engines.node } } : {}),
        };
      });
    return { releases, ...(latest === undefined ? {} : { latest }) };
  },
});

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Is a package with this name and description published? Then it is this project. */
export async function isPublished(
  {
    name,
    description,
    origin,
  }: { name: string; description: string; origin: Dependency["origin"] },
  lookup: Lookup,
): Promise<boolean> {
  if (origin.kind !== "registry") return false;
  try {
    const published = await lookup.fetch<string>({
      url: packageAddress(origin.url, name),
      accept: FULL,
      purpose: "description",
      digest: ({ body }) => {
        const document = JSON.parse(decodeBody(body)) as Packument;
        return isText(document.description) ? document.description : "";
      },
    });
    return published === description;
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return false;
    throw error;
  }
}

/** Versions above `latest` are previews, except for users of such a version. */
export function npmComparable(
  { current }: Dependency,
  { releases, latest }: Available,
): readonly Release[] {
  if (latest === undefined || semver.valid(latest) === null) return releases;
  if (current !== undefined && semver.valid(current) && semver.gt(current, latest)) return releases;
  const prerelease = current !== undefined && semver.prerelease(current) !== null;
  if (prerelease) return releases;
  return releases.filter(({ version }) => semverVersioning.compare(version, latest) <= 0);
}

/** Several times as fast as a `TextDecoder`. */
const decodeBody = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString("utf8");

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

interface AbbreviatedPackument {
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
      const document = JSON.parse(decodeBody(body)) as AbbreviatedPackument;
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

/** The registry's document without unused fields: readmes, maintainers, signatures. */
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

export const npmSource = async (
  { name, origin }: Dependency,
  { version }: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> => {
  if (origin.kind !== "registry") return undefined;
  const said = repositoryIn(await versionDocument(lookup, origin.url, name, version));
  const url = said.url === undefined ? undefined : repositoryAddress(said.url);
  if (url === undefined) return undefined;
  return { url, ...(said.directory ? { directory: said.directory } : {}) };
};

function repositoryIn({ repository }: VersionDocument): {
  readonly url?: string;
  readonly directory?: string;
} {
  const { url, directory } =
    typeof repository === "string"
      ? { url: repository, directory: undefined }
      : ((repository ?? {}) as { url?: unknown; directory?: unknown });
  return {
    ...(typeof url === "string" ? { url } : {}),
    ...(typeof directory === "string" && /^[\w.@/-]+$/.test(directory)
      ? { directory: directory.replace(/^\.?\/+|\/+$/g, "") }
      : {}),
  };
}
