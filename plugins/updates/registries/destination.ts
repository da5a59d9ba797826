import { isIP } from "node:net";

/** Why an entry of `allow_registries` is invalid. */
export function badDestination(written: string): string | undefined {
  const [address = "", bits, ...rest] = written.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) !== 0 && rest.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits)))
    return Number(bits ?? 0) <= most ? undefined : `\`${written}\` has a prefix over ${most} bits`;
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(written))
    return undefined;
  return `\`${written}\` is neither a host such as \`npm.internal\` nor a network such as \`10.0.0.0/8\``;
}
