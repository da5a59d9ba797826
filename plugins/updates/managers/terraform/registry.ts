/** Registries of providers and modules: service discovery, versions, and sums of archives. */

import semver from "semver";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import { zipHash } from "../../text/zip-hash.js";
import type { Available, Dependency, ManagerSettings } from "../contract.js";
import { taggedReleases } from "../git-tags.js";
import { configuredUrl, registryUrl, withoutSlash } from "../origin.js";

export const TERRAFORM = "registry.terraform.io";
export const OPENTOFU = "registry.opentofu.org";

/** The registry of a host: the instance's for the host, or its default for the usual host. */
export function terraformRegistryUrl(host: string, settings: ManagerSettings): string {
  const isUsual = host === TERRAFORM || host === OPENTOFU;
  const fits = (scope?: string): boolean => scope === host || (isUsual && scope === undefined);
  return configuredUrl(settings, "terraform", fits) ?? withoutSlash(`https://${host}`);
}

type Service = "providers.v1" | "modules.v1";

/** The URL of a service, without a trailing slash. @throws UpdatesError */
async function service(registry: string, name: Service, lookup: Lookup): Promise<string> {
  const found = await lookup.fetch<Readonly<Partial<Record<Service, string>>>>({
    url: `${registry}/.well-known/terraform.json`,
    purpose: "services",
    digest: ({ body, url }) => {
      const said = decodeJsonBody(body) as Readonly<Record<string, unknown>>;
      const address = (key: Service) =>
        typeof said[key] === "string"
          ? { [key]: new URL(said[key], url).href.replace(/\/+$/, "") }
          : {};
      return { ...address("providers.v1"), ...address("modules.v1") };
    },
  });
  const address = found[name];
  if (address !== undefined) return address;
  throw new UpdatesError("lookup_failed", `${registry} offers no ${name.replace(".v1", "")}.`);
}

export async function terraformAvailable(
  { name, origin, extra = {} }: Dependency,
  lookup: Lookup,
): Promise<Available> {
  if (origin.kind === "git") {
    const releases = await taggedReleases(origin.url, lookup);
    return { releases: releases.filter(({ version }) => semver.valid(version) !== null) };
  }
  const registry = registryUrl({ name, origin });
  const { kind, path = "" } = extra;
  const base = await service(registry, kind === "provider" ? "providers.v1" : "modules.v1", lookup);
  const versions = await lookup.fetch<readonly string[]>({
    url: `${base}/${path}/versions`,
    purpose: "versions",
    digest: ({ body }) => {
      const said = decodeJsonBody(body) as {
        versions?: readonly { version: string }[];
        modules?: readonly { versions?: readonly { version: string }[] }[];
      };
      const all = said.versions ?? said.modules?.flatMap((each) => each.versions ?? []) ?? [];
      return all.map(({ version }) => version).filter((version) => semver.valid(version) !== null);
    },
  });
  return { releases: versions.map((version) => ({ version })) };
}

export interface ProviderArchive {
  readonly os: string;
  readonly arch: string;
}

interface Download {
  readonly download_url: string;
  readonly shasums_url: string;
}

/** Where to fetch a provider for one kind of machine. */
async function download(
  registry: string,
  path: string,
  version: string,
  { os, arch }: ProviderArchive,
  lookup: Lookup,
): Promise<Download> {
  const base = await service(registry, "providers.v1", lookup);
  return lookup.fetch<Download>({
    url: `${base}/${path}/${version}/download/${os}/${arch}`,
    purpose: "download",
    digest: ({ body, url }) => {
      const said = decodeJsonBody(body) as Download;
      return {
        download_url: new URL(said.download_url, url).href,
        shasums_url: new URL(said.shasums_url, url).href,
      };
    },
  });
}

/** The platforms of a version. */
export async function archives(
  registry: string,
  path: string,
  version: string,
  lookup: Lookup,
): Promise<readonly ProviderArchive[]> {
  const base = await service(registry, "providers.v1", lookup);
  return lookup.fetch<readonly ProviderArchive[]>({
    url: `${base}/${path}/versions`,
    purpose: `platforms of ${version}`,
    digest: ({ body }) => {
      const { versions = [] } = decodeJsonBody(body) as {
        versions?: readonly { version: string; platforms?: readonly ProviderArchive[] }[];
      };
      return (versions.find((each) => each.version === version)?.platforms ?? []).map(
        ({ os, arch }) => ({ os, arch }),
      );
    },
  });
}

/** File names and SHA-256 sums of a version, from the publisher's signed list. */
export async function providerSums(
  registry: string,
  path: string,
  version: string,
  archive: ProviderArchive,
  lookup: Lookup,
): Promise<readonly (readonly [file: string, sha256: string])[]> {
  const { shasums_url: url } = await download(registry, path, version, archive, lookup);
  return lookup.fetch<readonly (readonly [string, string])[]>({
    url,
    purpose: "sums",
    digest: ({ body }) =>
      new TextDecoder()
        .decode(body)
        .split("\n")
        .flatMap((line) => {
          const [sum = "", file] = line.trim().split(/\s+/);
          return file !== undefined && /^[0-9a-f]{64}$/.test(sum) ? [[file, sum] as const] : [];
        }),
  });
}

/** `h1:…` of the archive's contents; undefined where it is too large. */
export async function providerContentHash(
  registry: string,
  path: string,
  version: string,
  archive: ProviderArchive,
  lookup: Lookup,
): Promise<string | undefined> {
  const { download_url: url } = await download(registry, path, version, archive, lookup);
  try {
    return await lookup.fetch<string>({
      url,
      purpose: "content hash",
      digest: ({ body }) => zipHash(body),
    });
  } catch (error) {
    if (error instanceof UpdatesError && error.code !== "package_unknown") return undefined;
    throw error;
  }
}
