/** Whatever a plugin passes along, as data that can cross: cut where it cannot be followed. */

/**
 * For log lines and events: never throws. Secrets turn themselves into `(secret)`. `most`: characters of all texts together; what exceeds
 * it is cut.
 */
export function plain<Data>(value: Data, most = Number.POSITIVE_INFINITY): Data {
  if (value === undefined) return value;
  const seen = new Set<unknown>();
  let left = most;
  const text = JSON.stringify(value, (_name, each: unknown) => {
    if (each instanceof Error) return cut(each.message);
    if (typeof each === "bigint") return String(each);
    if (typeof each === "string") return cut(each);
    if (typeof each !== "object" || each === null) return each;
    if (seen.has(each)) return "(again)";
    seen.add(each);
    return each;
  });
  return (text === undefined ? undefined : JSON.parse(text)) as Data;

  function cut(whole: string): string {
    const kept = cutText(whole, left);
    left -= Math.min(left, whole.length);
    return kept;
  }
}

/** A copy: a part of a text keeps all of it in memory. */
export const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${Buffer.from(text.slice(0, most)).toString()}… (${text.length - most} more characters)`;
