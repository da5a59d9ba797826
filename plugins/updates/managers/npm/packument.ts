/** What an npm registry knows of a package. */
import semver from "semver";
import { UpdatesError } from "../../errors.js";
import type { Lookup, RegistryRequest } from "../../registries/contract.js";
import { readVersion, semverVersioning } from "../../versions/semver.js";
import type { Available, Dependency, Release, ReleaseFields } from "../contract.js";

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
export const SHORT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";
const FULL = "application/json";

export async function npmAvailable(
  { name, origin }: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No registry is known for ${name}.`);
  return lookup.fetch(versionsQuestion(origin.url, name, dates));
}

export const packageAddress = (registry: string, name: string): string =>
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

/** Is a package of this name published with the same description? Then the project is that package. */
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

/** Versions above the one called latest are previews, for those who are not above it already. */
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
export const decodeBody = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString("utf8");
