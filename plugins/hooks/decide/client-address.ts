/** Determines the client's address behind trusted proxies. */
import { BlockList, isIP } from "node:net";

export type ProxyHeader = "X-Forwarded-For" | "Forwarded" | "X-Real-IP";

export interface Proxies {
  /** Addresses and networks; `unix` for connections through a unix socket. */
  readonly trusted: readonly string[];
  readonly header: ProxyHeader;
}

/**
 * The right-most address in the header that is not a trusted proxy: anything left of it can be
 * forged. Without the header it is the proxy's own. `undefined`: unknown, so no condition about it holds.
 */
export function clientAddress(
  peer: string | undefined,
  headers: Readonly<Record<string, string>>,
  proxies: Proxies | undefined,
): string | undefined {
  if (!proxies || !isTrusted(peer, proxies.trusted)) return peer;
  const written = headers[proxies.header.toLowerCase()];
  if (written === undefined) return peer;
  const hops = proxies.header === "Forwarded" ? forwardedHops(written) : written.split(",");
  for (let index = hops.length - 1; index >= 0; index -= 1) {
    const hop = addressIn(hops[index] ?? "");
    if (hop === undefined) return undefined;
    if (index === 0 || !isTrusted(hop, proxies.trusted)) return hop;
  }
  return undefined;
}

const isTrusted = (address: string | undefined, trusted: readonly string[]): boolean =>
  address === undefined ? trusted.includes("unix") : isInNetworks(address, trusted);

/** Whether an address is in one of the networks; `undefined` is in none. */
export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined) return false;
  const plain = address.replace(/%.*$/, "");
  const family = isIP(plain);
  if (family === 0) return false;
  const { ipv4, ipv6 } = listsOf(networks);
  return family === 6 ? ipv6.check(plain, "ipv6") : ipv4.check(plain, "ipv4");
}

/** Separate: one list would find every IPv4 address in `::/0`. */
interface Lists {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** Cached by list. */
function listsOf(networks: readonly string[]): Lists {
  const known = made.get(networks);
  if (known) return known;
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address);
    if (family === 0) continue;
    const type = family === 6 ? "ipv6" : "ipv4";
    lists[type].addSubnet(
      address,
      bits === undefined ? (family === 6 ? 128 : 32) : Number(bits),
      type,
    );
  }
  made.set(networks, lists);
  return lists;
}

const made = new WeakMap<readonly string[], Lists>();

/** Why it is not an address or network. */
export function badNetwork(written: string): string | undefined {
  const [address = "", bits] = written.split("/");
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
    return undefined;
  }
  return `\`${written}\` is neither an address nor a network such as \`10.0.0.0/8\``;
}

/** RFC 7239: `for=192.0.2.60;proto=http, for="[2001:db8::1]:47011"`. An element without `for` stays, empty. */
function forwardedHops(written: string): readonly string[] {
  return written.split(",").map((element) => {
    const [, quoted, token] = /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(element) ?? [];
    return quoted ?? token ?? "";
  });
}

/** With or without a port. `undefined`: `unknown`, a name, or nothing. */
function addressIn(written: string): string | undefined {
  const text = written.trim();
  const [, bracketed, dotted] =
    /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+)(?::\d+)?)$/.exec(text) ?? [];
  const address = plainAddress(bracketed ?? dotted ?? text);
  return isIP(address) === 0 ? undefined : address;
}

/** An IPv4-mapped address in IPv4 form. */
export const plainAddress = (address: string): string =>
  address.startsWith(":") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : address;
