/** Raw header lists: name, value, name, value, in the sender's spelling and order. */

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

export function rawHeaderValues(raw: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.push(raw[index + 1] ?? "");
  }
  return values;
}

/** Removes hop-by-hop headers and those that `Connection` names. */
export function withoutHopByHop(
  raw: readonly string[],
  { keepUpgrade = false }: { readonly keepUpgrade?: boolean } = {},
): string[] {
  const named = namedByConnection(raw);
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const known = name.toLowerCase();
    const dropped = hopByHop.has(known) || named?.has(known);
    const upgrades = keepUpgrade && (known === "connection" || known === "upgrade");
    if (!dropped || upgrades) kept.push(name, raw[index + 1] ?? "");
  }
  return kept;
}

/** Undefined in the common case of `close` or `keep-alive` alone. */
function namedByConnection(raw: readonly string[]): ReadonlySet<string> | undefined {
  const values = rawHeaderValues(raw, "connection");
  if (values.every((value) => /^(?:close|keep-alive)$/i.test(value))) return undefined;
  const tokens = values.flatMap((value) => value.split(","));
  return new Set(
    tokens.map((token) => token.trim().toLowerCase()).filter((token) => token !== "host"),
  );
}
