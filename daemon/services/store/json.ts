/** JSON on its way into the store. */
import { ReeveError } from "../../errors.js";

/**
 * `shown` is applied to every text within.
 * @throws ReeveError when `value` is not JSON data, or longer than `limit` bytes.
 */
export function encode(
  value: unknown,
  what: string,
  limit: number,
  shown?: (text: string) => string,
): string {
  const text = stringify(value, what, shown);
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return text;
  throw new ReeveError(
    "value_too_large",
    `${what} is ${bytes} bytes of JSON; at most ${limit} are kept.`,
  );
}

function stringify(value: unknown, what: string, shown?: (text: string) => string): string {
  const replace = (_name: string, part: unknown): unknown =>
    shown && typeof part === "string" ? shown(part) : part;
  let text: string | undefined;
  try {
    text = JSON.stringify(value, shown ? replace : undefined);
  } catch (thrown) {
    throw new ReeveError("value_invalid", `${what} is not JSON data.`, { cause: thrown });
  }
  if (text === undefined) throw new ReeveError("value_invalid", `${what} is not JSON data.`);
  return text;
}

/** The value with `shown` applied to every text within, names too; itself where that changes nothing, which is quick. */
export function masked(value: unknown, shown: (text: string) => string): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => masked(part, shown));
    return parts.every((part, index) => part === value[index]) ? value : parts;
  }
  const before = Object.entries(value);
  const after = before.map(([name, part]) => [shown(name), masked(part, shown)] as const);
  const isSame = after.every(([name, part], index) => {
    const [oldName, oldPart] = before[index] ?? [];
    return name === oldName && part === oldPart;
  });
  return isSame ? value : Object.fromEntries(after);
}

/** @throws Error with a sentence about `what` when it is damaged */
export function decode(text: unknown, what = "A value"): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new Error(`${what} in the database is damaged: it is no JSON.`, { cause: thrown });
  }
}
