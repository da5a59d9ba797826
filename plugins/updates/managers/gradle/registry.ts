/** Requests for releases of Gradle itself. Artifacts come from Maven repositories (../maven/registry.ts). */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import { decodeText } from "../../text/text.js";
import type { Available, Dependency, Release } from "../contract.js";
import { registryUrl } from "../origin.js";
import { distributionUrl } from "./manifest/wrapper.js";

interface GradleRelease {
  readonly version: string;
  readonly buildTime?: string;
  readonly snapshot?: boolean;
  readonly nightly?: boolean;
  readonly broken?: boolean;
}

export async function gradleReleases(dependency: Dependency, lookup: Lookup): Promise<Available> {
  const releases = await lookup.fetch<readonly Release[]>({
    url: `${registryUrl(dependency)}/versions/all`,
    purpose: "versions",
    digest: ({ body }) =>
      (decodeJsonBody(body) as readonly GradleRelease[])
        .filter(({ snapshot, nightly }) => !snapshot && !nightly)
        .map(({ version, buildTime = "", broken }) => {
          // 20240101120000+0000
          const iso = buildTime.replace(
            /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)([+-]\d\d)(\d\d)$/,
            "$1-$2-$3T$4:$5:$6$7:$8",
          );
          const published = Date.parse(iso);
          return {
            version,
            ...(Number.isNaN(published) ? {} : { published }),
            ...(broken ? { withdrawn: "Gradle lists this version as broken." } : {}),
          };
        }),
  });
  return { releases };
}

/** The wrapper's properties with the digest of their new URL; unchanged without a digest, undefined where it cannot be fetched. */
export async function withDigest(text: string, lookup: Lookup): Promise<string | undefined> {
  const sum = /^([ \t]*distributionSha256Sum[ \t]*[=:][ \t]*)([0-9a-f]{64})/m;
  if (!sum.test(text)) return text;
  const distribution = distributionUrl(text);
  if (!distribution || !URL.canParse(distribution.url)) return undefined;
  try {
    const digest = await lookup.fetch<string>({
      url: `${distribution.url}.sha256`,
      purpose: "digest",
      digest: ({ body }) => decodeText(body).trim().slice(0, 64),
    });
    return /^[0-9a-f]{64}$/.test(digest) ? text.replace(sum, `$1${digest}`) : undefined;
  } catch (error) {
    if (error instanceof UpdatesError) return undefined;
    throw error;
  }
}
