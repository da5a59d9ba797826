/** Whose request it is, behind proxies that may be believed. */
import { BlockList, isIP } from "node:net";

export type ProxyHeader = "X-Forwarded-For" | "Forwarded" | "X-Real-IP";

export interface Proxies {
  /** Addresses and networks; `unix` for whoever connects through a unix socket. */
  readonly trusted: readonly string[];
  readonly header: ProxyHeader;
}

/**
 * The client's address: the right-most in the header that no trusted proxy has, since whatever stands left of that was written by
 * strangers. Without the header it is the proxy's own. `undefined`: it cannot be known, so no condition about it holds.
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

/** Whether an address is in one of several networks. `undefined`, an unknown one, is in none. */
export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined) return false;
  const plain = address.replace(/%.*$/, "");
  const family = isIP(plain);
  if (family === 0) return false;
  const { ipv4, ipv6 } = listsOf(networks);
  return family === 6 ? ipv6.check(plain, "ipv6") : ipv4.check(plain, "ipv4");
}

/** Apart: one list would find every IPv4 address in `::/0`. */
interface Lists {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** Made once for every list of the configuration. */
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

/** What is wrong with it as an address or network, in one sentence. */
export function badNetwork(written: string): string | undefined {
  const [address = "", bits] = written.split("/");
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
    return undefined;
  }
  return `\`${written}\` is neither an address nor a network such as \`10.0.0.0/8\``;
}

/** RFC 7239: `for=192.0.2.60;proto=http, for="[2001:db8::1]:47011"`. An element that says nothing of it stays, empty. */
function forwardedHops(written: string): readonly string[] {
  return written.split(",").map((element) => {
    const [, quoted, token] = /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(element) ?? [];
    return quoted ?? token ?? "";
  });
}

/** With a port or without. `undefined`: `unknown`, a made-up name, or nothing. */
function addressIn(written: string): string | undefined {
  const text = written.trim();
  const [, bracketed, dotted] =
    /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+)(?::\d+)?)$/.exec(text) ?? [];
  const address = plainAddress(bracketed ?? dotted ?? text);
  return isIP(address) === 0 ? undefined : address;
}

/** An IPv4 address is written as one, whatever the socket calls it. */
export const plainAddress = (address: string): string =>
  address.startsWith(":") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : address;
