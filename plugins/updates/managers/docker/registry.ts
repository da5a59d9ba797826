/** What an OCI registry knows of an image: its tags, and what a tag points at. */
import { createHash } from "node:crypto";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";

const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Pages of a list that never ends are not read for ever. */
const MOST_PAGES = 200;

interface Page {
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
  for (let page = 0; next !== undefined && page < MOST_PAGES; page += 1) {
    const url: string = next;
    const read: Page = await lookup.fetch<Page>({
      url,
      accept: "application/json",
      purpose: "tags",
      digest: ({ body, header }) => {
        const { tags: names } = JSON.parse(new TextDecoder().decode(body)) as { tags?: unknown };
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

/** What the tag points at now: `sha256:…`. */
export async function digestOf(
  registry: string,
  repository: string,
  tag: string,
  lookup: Lookup,
): Promise<string> {
  const url = `${registry}/v2/${repository}/manifests/${tag}`;
  const said = await lookup.fetch<string>({
    url,
    method: "HEAD",
    accept: MANIFESTS,
    purpose: "digest",
    digest: ({ header }) => header("docker-content-digest") ?? "",
  });
  const digest = said === "" ? await hashed(url, lookup) : said;
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UpdatesError(
    "registry_garbled",
    `${registry} gives no usable digest for ${repository}:${tag}.`,
  );
}

/** Registries need not say the digest: it is the hash of the manifest. */
const hashed = (url: string, lookup: Lookup): Promise<string> =>
  lookup.fetch<string>({
    url,
    accept: MANIFESTS,
    purpose: "digest",
    digest: ({ body }) => `sha256:${createHash("sha256").update(body).digest("hex")}`,
  });
