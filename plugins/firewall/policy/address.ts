/** Addresses: every spelling of a literal in one canonical form, and which of them are not on the public Internet. */
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

/** An IPv4 address as four decimals, or an IPv6 address in its shortest form, without brackets. */
export type IpAddress = string;

/**
 * The address that a host literal means, in any spelling a resolver or a browser accepts: `2130706433`, `0x7f.1`,
 * `[::1]`, `::ffff:127.0.0.1` (which is the IPv4 address). Undefined for a name. A zone (`fe80::1%eth0`) is dropped.
 */
export function parseIpAddress(host: string): IpAddress | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  // Asked of a name, Node would first make an expression that takes longer than all the rest.
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

/** Ranges that lead back to the host, into its network or nowhere; a public name has no business to point there. */
const internalRanges: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
  ["::", 128],
  ["::1", 128],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const internal = new BlockList();
for (const [network, prefix] of internalRanges) {
  internal.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");
}

/** Is the address private, loopback, link-local (cloud metadata), multicast, a translation prefix or otherwise reserved? */
export function isInternal(address: IpAddress): boolean {
  const canonical = parseIpAddress(address);
  if (canonical === undefined) return true;
  return internal.check(canonical, isIP(canonical) === 6 ? "ipv6" : "ipv4");
}
