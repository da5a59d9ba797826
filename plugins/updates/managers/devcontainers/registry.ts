/** What a registry says of a published feature. */
import { createHash } from "node:crypto";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import type { Dependency } from "../contract.js";
import { readImage } from "../docker/manifest/image.js";
import { LockFallback } from "../lock/refresh.js";
import { registryUrl } from "../origin.js";

interface Published {
  readonly digest: string;
  /** From the metadata that is published with newer features. */
  readonly version?: string;
  readonly needsOthers: boolean;
}

export interface PublishedFeature {
  readonly version: string;
  readonly digest: string;
}

/** The manifest of a tag, which must be the wanted version. @throws LockFallback, UpdatesError as `Lookup` */
export async function publishedFeature(
  dependency: Dependency,
  { tag, version }: { readonly tag: string; readonly version: string },
  lookup: Lookup,
): Promise<PublishedFeature> {
  const { name } = dependency;
  const repository = readImage(name)?.repository ?? name;
  const base = `${registryUrl(dependency)}/v2/${repository}/manifests`;
  const manifest = (reference: string): Promise<Published> =>
    lookup.fetch<Published>({
      url: `${base}/${reference}`,
      accept: "application/vnd.oci.image.manifest.v1+json",
      purpose: "feature",
      digest: ({ body }) => ({
        digest: `sha256:${createHash("sha256").update(body).digest("hex")}`,
        ...metadataOf(decodeJsonBody(body)),
      }),
    });
  const [tagged, whole] = await Promise.all([manifest(tag), manifest(version)]);
  if (tagged.digest !== whole.digest)
    throw new LockFallback(`the tag ${tag} of ${name} is not ${version}`);
  if (whole.version === undefined)
    throw new LockFallback(`${name} ${version} is published without its metadata`);
  if (whole.version !== version)
    throw new LockFallback(`${name} ${version} calls itself ${whole.version}`);
  if (whole.needsOthers) throw new LockFallback(`${name} ${version} depends on other features`);
  return { version, digest: whole.digest };
}

function metadataOf(manifest: unknown): Omit<Published, "digest"> {
  const { annotations = {} } = (manifest ?? {}) as {
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
  const text = annotations["dev.containers.metadata"];
  if (typeof text !== "string") return { needsOthers: false };
  const { version, dependsOn = {} } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return {
    needsOthers: Object.keys(dependsOn ?? {}).length > 0,
    ...(typeof version === "string" ? { version } : {}),
  };
}
