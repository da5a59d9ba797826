/** What the public suffix list knows about the end of a name. */
import { createRequire } from "node:module";
import type { parse as ParseSuffix } from "tldts";
import type { HostName } from "./name.js";

/** Top levels below which the list has no other suffix; most names end so, and the list takes longer to load than all else. */
const plainTopLevel = /\.(?:com|org|net|dev|app|test)$/;

/** Top levels that are no public suffix on purpose: reserved ones, and those that private networks commonly use. */
const privateTopLevel =
  /\.(?:alt|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private)$/;

const load = createRequire(import.meta.url);

function suffixOf(name: HostName): ReturnType<typeof ParseSuffix> {
  const { parse } = load("tldts") as { parse: typeof ParseSuffix };
  return parse(name);
}

/** Only suffixes that the public list really has; a made-up or internal top level stays usable. */
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
