/** Header lists as they travel: name, value, name, value, with the spelling and order of the sender. */

const hopByHop = new Set([
  "connection",
  "proxy-connection",
  "proxy-authorization",
  "proxy-authenticate",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
]);

/** All values of a header. */
export function headersOf(raw: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.push(raw[index + 1] ?? "");
  }
  return values;
}

/** Without what concerns one hop only, and without what `Connection` names as such. */
export function withoutHopByHop(
  raw: readonly string[],
  { keepUpgrade = false }: { readonly keepUpgrade?: boolean } = {},
): string[] {
  const named = headersOf(raw, "connection").flatMap((value) =>
    value.split(",").map((token) => token.trim().toLowerCase()),
  );
  const dropped = new Set([...hopByHop, ...named.filter((token) => token !== "host")]);
  if (keepUpgrade) for (const kept of ["connection", "upgrade"]) dropped.delete(kept);
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (!dropped.has(name.toLowerCase())) kept.push(name, raw[index + 1] ?? "");
  }
  return kept;
}
