/** Canonical forms of IP addresses, and which of them are not on the public Internet. */
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

/** IPv4 as four decimals, IPv6 in its shortest form without brackets. */
export type IpAddress = string;

/**
 * The address of a host literal in any spelling that resolvers and browsers accept: `2130706433`, `0x7f.1`, `[::1]`,
 * `::ffff:127.0.0.1` (which is the IPv4 address). Undefined for a name. Drops a zone (`fe80::1%eth0`).
 */
export function parseIpAddress(host: string): IpAddress | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  // `isIPv6` of a name would compile a large regular expression.
  if (bare.includes(":")) return isIPv6(bare) ? shortest(bare) : undefined;
  const numbers = bare.replace(/\.$/, "");
  if (!/^[0-9a-fx.]+$/i.test(numbers)) return undefined;
  const canonical = domainToASCII(numbers);
  return isIPv4(canonical) ? canonical : undefined;
}

function shortest(address: string): IpAddress {
  const written = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(written);
  return mapped ? dotted(mapped[1] ?? "0", mapped[2] ?? "0") : written;
}

function dotted(high: string, low: string): IpAddress {
  const bytes = [high, low].flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join(".");
}

/**
 * Ranges of this host, its network, or nowhere: those of IANA's special-purpose registries that are not globally
 * reachable, translation prefixes, and a cloud's metadata service. Public names must not resolve to them.
 */
const internalRanges: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["168.63.129.16", 32],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 63],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const internal = new BlockList();
for (const [network, prefix] of internalRanges) {
  internal.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");
}

/**
 * Whether the address is private, loopback, link-local (cloud metadata), multicast, a translation prefix or otherwise
 * reserved.
 */
export function isInternal(address: IpAddress): boolean {
  const canonical = parseIpAddress(address);
  if (canonical === undefined) return true;
  return internal.check(canonical, isIP(canonical) === 6 ? "ipv6" : "ipv4");
}
