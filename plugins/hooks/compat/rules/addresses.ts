/** `ip-whitelist`: whether an address is in one of several ranges. */
import { BlockList, isIP } from "node:net";

/** Ranges separated by blanks. An address without `/` stands for itself, in both families. A text: the invalid one. */
export function rangesOf(written: string): BlockList | string {
  const list = new BlockList();
  for (const range of written.split(/\s+/).filter((word) => word !== "")) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? most : Number(bits);
    if (family === 0 || !/^\d{1,3}$/.test(bits ?? "0") || prefix > most)
      return bits === undefined ? `${range}/32` : range;
    list.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/** `remote`: `192.0.2.7:4711` or `[2001:db8::1]:4711`. `undefined`: another form. */
export function isInRange(remote: string, ranges: BlockList): boolean | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+)):\d+$/.exec(remote) ?? [];
  const address = (bracketed ?? plain ?? "").replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
  const family = isIP(address);
  return family === 0 ? undefined : ranges.check(address, family === 6 ? "ipv6" : "ipv4");
}
