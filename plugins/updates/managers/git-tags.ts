/** Tags of a git repository as releases. */
import type { Lookup } from "../registries/contract.js";
import { readTag } from "../versions/tag.js";
import type { Release } from "./contract.js";

const TAGS = "refs/tags/";

/** Tags that are versions, each pinned by its commit. @throws UpdatesError as `Lookup.references` */
export async function taggedReleases(
  url: string,
  lookup: Lookup,
  isVersion = (tag: string): boolean => readTag(tag) !== undefined,
): Promise<readonly Release[]> {
  return (await lookup.references(url))
    .filter(({ name }) => name.startsWith(TAGS))
    .map(({ name, oid }) => ({ version: name.slice(TAGS.length), pin: oid }))
    .filter(({ version }) => isVersion(version));
}

export const isCommit = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
