/** What stands for one client in limits: an IPv4 address, or the first 64 bits of an IPv6 address, since one host may have them all. */
export function clientNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)|%.*$/g, "");
  if (!plain.includes(":")) return plain;
  const [left = "", right] = plain.split("::");
  const groups = left.split(":").filter((group) => group !== "");
  const missing = right === undefined ? 0 : 8 - groups.length - right.split(":").length;
  const rest = right?.split(":") ?? [];
  return [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...rest]
    .slice(0, 4)
    .join(":");
}
