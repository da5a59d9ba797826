/** The versions of a runtime, of which each image that a file names must exist. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { Available, Dependency, Release, ReleaseFields } from "../contract.js";
import { imageDigest, tagsOf } from "../docker/registry.js";
import { taggedReleases } from "../git-tags.js";
import { registryDocument } from "../npm/registry/packument.js";
import { gitOrigin } from "../origin.js";
import { delegateOf } from "../patterns/sources.js";
import { runtimeOf } from "./table.js";
import {
  numbersOf,
  pinKey,
  runtimeVersioning,
  shortened,
  versionIn,
  writtenVersion,
} from "./versions.js";

/** @throws UpdatesError as `Lookup` */
export async function runtimeAvailable(
  dependency: Dependency,
  lookup: Lookup,
  fields: ReleaseFields,
): Promise<Available> {
  const releases = await releasesOf(dependency, lookup, fields);
  return { releases: await withImages(dependency, releases, lookup) };
}

async function releasesOf(
  dependency: Dependency,
  lookup: Lookup,
  fields: ReleaseFields,
): Promise<readonly Release[]> {
  const form = formOf(dependency);
  const numbers = (text: string): string | undefined => form.exec(text)?.[1]?.replaceAll("_", ".");
  if (dependency.origin.kind === "git") {
    const tags = await taggedReleases(gitOrigin(dependency).url, lookup, (tag) => form.test(tag));
    return tags.map(({ version }) => ({ version: numbers(version) ?? version }));
  }
  const delegate = delegateOf(dependency);
  if (!delegate) return [];
  const asPackage = packaged(dependency);
  const available = await delegate.available(asPackage, lookup, fields);
  // A registry of images orders no versions, and all versions of Go's toolchain are prereleases.
  const offered =
    delegate.id === "docker" || delegate.id === "go_modules"
      ? available.releases
      : delegate.comparable(asPackage, available);
  return offered.flatMap(({ runtime: _runtime, pin: _pin, version, ...release }) => {
    const found = numbers(version);
    return found === undefined ? [] : [{ ...release, version: found }];
  });
}

/** Tags of a configured repository may also be plain. */
function formOf({ name, origin }: Dependency): RegExp {
  const source = runtimeOf(name)?.source;
  const own = source?.form ?? /^v?(\d+(?:\.\d+)*)$/;
  return source?.kind === "package" && origin.kind === "git" ? /^v?(\d+(?:\.\d+)*)$/ : own;
}

/** As the manager of the package knows it, with any version in use. */
const packaged = (dependency: Dependency): Dependency => ({
  ...dependency,
  name: dependency.extra?.package ?? dependency.name,
  current: undefined,
});

interface ImageUse {
  readonly image: string;
  readonly registry: string;
  readonly suffix: string;
  readonly isPinned: boolean;
  /** The version in the tag after an update to `to`. */
  readonly next: (to: string) => string;
  readonly version: string;
}

const imagesOf = ({ declarations }: Dependency): readonly ImageUse[] =>
  declarations.flatMap((declaration) => {
    const { image, registry } = declaration.extra ?? {};
    if (image === undefined || registry === undefined) return [];
    const written = writtenVersion(declaration);
    const next = (to: string): string => versionIn(declaration, to);
    return [{ ...written, image, registry, next }];
  });

async function withImages(
  dependency: Dependency,
  releases: readonly Release[],
  lookup: Lookup,
): Promise<readonly Release[]> {
  const images = await Promise.all(
    imagesOf(dependency).map(async (use) => ({
      use,
      tags: new Set(await tagsOf(use.registry, use.image, lookup)),
    })),
  );
  const { current = "" } = dependency;
  const depth = numbersOf(current).length;
  return releases.filter(
    ({ version }) =>
      runtimeVersioning.compare(shortened(version, depth), current) <= 0 ||
      images.every(({ use, tags }) => {
        const next = use.next(version);
        return next === use.version || tags.has(next + use.suffix);
      }),
  );
}

/** Adds the digests of images and the checksums of packages that the files have. @throws UpdatesError as `Lookup` */
export async function runtimePinned(
  dependency: Dependency,
  release: Release,
  lookup: Lookup,
): Promise<Release> {
  const digests = imagesOf(dependency)
    .filter(({ isPinned, next, version }) => isPinned && next(release.version) !== version)
    .map(async ({ image, registry, next, suffix }) => {
      const tag = next(release.version) + suffix;
      return [pinKey(image, tag), await imageDigest(registry, image, tag, lookup)] as const;
    });
  const checksums = dependency.declarations.flatMap((declaration) => {
    const { packaged: name, registry } = declaration.extra ?? {};
    if (name === undefined || registry === undefined) return [];
    const version = versionIn(declaration, release.version);
    return [
      checksumOf(registry, name, version, lookup).then(
        (sum) => [pinKey(name, version), sum] as const,
      ),
    ];
  });
  const pins = await Promise.all([...digests, ...checksums]);
  return pins.length === 0
    ? release
    : { ...release, pin: JSON.stringify(Object.fromEntries(pins)) };
}

/** As Corepack writes it: `+sha512.` and hexadecimal digits. @throws UpdatesError `registry_garbled`, as `Lookup` */
async function checksumOf(
  registry: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<string> {
  const { versions } = await registryDocument(registry, name, lookup);
  const [, base64] = /(?:^|\s)sha512-([\w+/=]+)/.exec(versions[version]?.integrity ?? "") ?? [];
  if (base64 !== undefined) return `+sha512.${Buffer.from(base64, "base64").toString("hex")}`;
  const sum = versions[version]?.shasum;
  if (sum !== undefined) return `+sha1.${sum}`;
  throw new UpdatesError(
    "registry_garbled",
    `${registry} gives no checksum of ${name} ${version}.`,
  );
}
