/** Whatever a plugin passes along, as data that can cross: cut where it cannot be followed. */

/** For log lines and events: never throws. Secrets turn themselves into `(secret)`. */
export function plain<Data>(value: Data): Data {
  if (value === undefined) return value;
  const seen = new Set<unknown>();
  const text = JSON.stringify(value, (_name, each: unknown) => {
    if (each instanceof Error) return each.message;
    if (typeof each === "bigint") return String(each);
    if (typeof each !== "object" || each === null) return each;
    if (seen.has(each)) return "(again)";
    seen.add(each);
    return each;
  });
  return (text === undefined ? undefined : JSON.parse(text)) as Data;
}
