/** Requests to OCI registries: the tags of an image, and the digest of a tag. */
import { createHash } from "node:crypto";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import type { Dependency, Release } from "../contract.js";
import { readImage } from "./manifest/image.js";
import { type SharedTag, tagPart } from "./manifest/shared-tags.js";

const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Bounds a tag list whose pages never end. */
const MAX_PAGES = 200;

interface TagPage {
  readonly tags: readonly string[];
  readonly next?: string;
}

export async function tagsOf(
  registry: string,
  repository: string,
  lookup: Lookup,
): Promise<readonly string[]> {
  const tags: string[] = [];
  let next: string | undefined = `${registry}/v2/${repository}/tags/list?n=1000`;
  for (let page = 0; next !== undefined && page < MAX_PAGES; page += 1) {
    const url: string = next;
    const read: TagPage = await lookup.fetch<TagPage>({
      url,
      accept: "application/json",
      purpose: "tags",
      digest: ({ body, header }) => {
        const { tags: names } = decodeJsonBody(body) as { tags?: unknown };
        if (names !== null && names !== undefined && !Array.isArray(names))
          throw new Error("no tags in it");
        const following = nextPage(header("link") ?? "", url);
        return {
          tags: ((names ?? []) as unknown[]).filter((name) => typeof name === "string"),
          ...(following === undefined ? {} : { next: following }),
        };
      },
    });
    tags.push(...read.tags);
    next = read.next;
  }
  return tags;
}

/** `<…>; rel="next"`, on the same host only. */
function nextPage(link: string, from: string): string | undefined {
  const [, target] = /<([^>]+)>\s*;\s*rel="?next"?/i.exec(link) ?? [];
  if (target === undefined) return undefined;
  const url = new URL(target, from);
  return url.host === new URL(from).host ? url.href : undefined;
}

/** Of `releases` those whose part of the tag exists for all images that share it. @throws UpdatesError as `Lookup` */
export async function releasesOfAll(
  { extra, origin }: Dependency,
  releases: readonly Release[],
  lookup: Lookup,
): Promise<readonly Release[]> {
  if (extra?.shared === undefined || origin.kind !== "registry") return releases;
  const { own, others } = JSON.parse(extra.shared) as SharedTag;
  const known = await Promise.all(
    others.map(async ([name, affixes]) => {
      const tags = await tagsOf(origin.url, readImage(name)?.repository ?? name, lookup);
      return { affixes, tags: new Set(tags) };
    }),
  );
  return releases.filter(({ version }) => {
    const part = tagPart(version, own);
    return (
      part !== undefined &&
      known.every(({ affixes: [before, after], tags }) => tags.has(before + part + after))
    );
  });
}

/** The digest a tag points at now: `sha256:…`. */
export async function imageDigest(
  registry: string,
  repository: string,
  tag: string,
  lookup: Lookup,
): Promise<string> {
  const request = {
    url: `${registry}/v2/${repository}/manifests/${tag}`,
    accept: MANIFESTS,
    purpose: "digest",
  };
  const header = await lookup.fetch<string>({
    ...request,
    method: "HEAD",
    digest: (response) => response.header("docker-content-digest") ?? "",
  });
  // The header is optional: the digest is the hash of the manifest.
  const digest =
    header ||
    (await lookup.fetch<string>({
      ...request,
      digest: ({ body }) => `sha256:${createHash("sha256").update(body).digest("hex")}`,
    }));
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UpdatesError(
    "registry_garbled",
    `${registry} gives no usable digest for ${repository}:${tag}.`,
  );
}
