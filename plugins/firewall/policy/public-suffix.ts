/** Queries the public suffix list. */
import { createRequire } from "node:module";
import type { parse as ParseSuffix } from "tldts";
import type { HostName } from "./name.js";

/** The list has no other suffixes below these. Most names end so, and the list takes long to load. */
const plainTopLevel = /\.(?:com|org|net|dev|app|test)$/;

/** Top-level domains that are reserved or common in private networks. */
const privateTopLevel =
  /\.(?:alt|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private)$/;

function suffixOf(name: HostName): ReturnType<typeof ParseSuffix> {
  const { parse } = createRequire(import.meta.url)("tldts") as { parse: typeof ParseSuffix };
  return parse(name);
}

/** Only suffixes on the public list: made-up and internal top-level domains stay usable. */
export function isPublicSuffix(name: HostName): boolean {
  if (plainTopLevel.test(name)) return false;
  const { isIcann, publicSuffix } = suffixOf(name);
  return isIcann === true && publicSuffix === name;
}

/** The top-level domain of an entry if the public list lacks it, most likely a typo: `example.con`. */
export function unknownTopLevel({
  kind,
  host,
}: {
  readonly kind: string;
  readonly host: HostName;
}): string | undefined {
  if (kind === "address" || !host.includes(".")) return undefined;
  if (plainTopLevel.test(host) || privateTopLevel.test(host)) return undefined;
  const topLevel = host.slice(host.lastIndexOf(".") + 1);
  if (topLevel.includes("*")) return undefined;
  return suffixOf(`name.${topLevel}`).isIcann ? undefined : topLevel;
}
