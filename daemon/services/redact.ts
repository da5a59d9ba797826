/** Converts any value to plain data that may be shown: bounded, without secrets, never throwing. */
import { ReeveError } from "../errors.js";
import type { Fields } from "../plugin-api/context.js";
import type { SecretMask } from "./contract.js";

const MASK = "(secret)";
const deepest = 8;
const mostEntries = 200;
const longestText = 16_384;

/** Names of secret values, as whole words of the name. */
const secretWord =
  /^(?:password|passwd|passphrase|pwd|secrets?|token|authorization|cookie|credentials?|apikey|signature|jwt|bearer)$/;
const secretPair = /^(?:api|access|private|signing|encryption|secret)key$/;
/** Not a secret, however it is called: how many, where it is kept, what it is for. */
const harmless =
  /^(?:count|counts|length|size|name|names|type|file|path|id|env|expires|used|limit)$/;

/** What was found out about names: the same few come again and again. */
const known = new Map<string, boolean>();
const mostKnown = 5000;

export function looksSecret(name: string): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= mostKnown) known.clear();
  const found = isSecret(name);
  known.set(name, found);
  return found;
}

function isSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (words.length > 1 && harmless.test(words.at(-1) ?? "")) return false;
  const pairs = words.slice(1).map((word, index) => (words[index] ?? "") + word);
  return (
    words.some((word) => secretWord.test(word) || secretPair.test(word)) ||
    pairs.some((pair) => secretPair.test(pair))
  );
}

const ordinary = { enumerable: true, writable: true, configurable: true } as const;

/** Also where the name is one that an assignment would take for something else. */
function put(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") record[name] = value;
  else Object.defineProperty(record, name, { ...ordinary, value });
}

/** `most`: characters of all texts together; what exceeds it is cut. */
export function redact(
  fields: Fields,
  mask: SecretMask,
  most = Number.POSITIVE_INFINITY,
): Record<string, unknown> {
  return new Redaction(mask, most).fields(fields);
}

/** One text without secrets, of at most 16 KiB characters. */
export const redactText = (text: string, mask: SecretMask): string =>
  shortText(text, mask, longestText);

/** Half a secret at the end of what is masked is beyond what is shown. */
function shortText(text: string, mask: SecretMask, most: number): string {
  const shown = mask.text(text.length > 2 * longestText ? text.slice(0, 2 * longestText) : text);
  if (text.length <= most && shown.length <= most) return shown;
  const omitted = Math.max(shown.length, text.length) - most;
  return `${shown.slice(0, most)}… (${omitted} more characters)`;
}

class Redaction {
  readonly #mask: SecretMask;
  readonly #inside = new Set<object>();
  #left: number;

  constructor(mask: SecretMask, most: number) {
    this.#mask = mask;
    this.#left = most;
  }

  fields(fields: Fields): Record<string, unknown> {
    return this.#record(fields, 0);
  }

  #value(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "bigint":
        return String(value);
      case "symbol":
      case "function":
        return `(${typeof value})`;
      case "object":
        return value === null ? null : this.#object(value, depth);
      default:
        return value;
    }
  }

  #text(text: string): string {
    const shown = shortText(text, this.#mask, Math.min(longestText, Math.max(0, this.#left)));
    this.#left -= shown.length;
    return shown;
  }

  #object(value: object, depth: number): unknown {
    if (this.#inside.has(value)) return "(circular)";
    if (depth >= deepest) return "(deeper)";
    this.#inside.add(value);
    try {
      if (value instanceof Error) return this.#error(value, depth);
      if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
      if (value instanceof Map) return this.#record(Object.fromEntries(value), depth);
      if (value instanceof Set) return this.#list([...value], depth);
      if (Array.isArray(value)) return this.#list(value, depth);
      const { toJSON } = value as { toJSON?: unknown };
      if (typeof toJSON === "function") return this.#value(toJSON.call(value), depth + 1);
      return this.#record(value as Fields, depth);
    } catch {
      return "(unreadable)";
    } finally {
      this.#inside.delete(value);
    }
  }

  #list(values: readonly unknown[], depth: number): readonly unknown[] {
    const kept = values.slice(0, mostEntries).map((each) => this.#value(each, depth + 1));
    return values.length > mostEntries ? [...kept, `(${values.length - mostEntries} more)`] : kept;
  }

  #record(record: Fields, depth: number): Record<string, unknown> {
    const names = Object.keys(record);
    const shown: Record<string, unknown> = {};
    for (const name of names.length > mostEntries ? names.slice(0, mostEntries) : names) {
      put(shown, this.#text(name), looksSecret(name) ? MASK : this.#read(record, name, depth));
    }
    if (names.length > mostEntries) shown["…"] = `(${names.length - mostEntries} more)`;
    return shown;
  }

  #read(record: Fields, name: string, depth: number): unknown {
    try {
      return this.#value(record[name], depth + 1);
    } catch {
      return "(unreadable)";
    }
  }

  /** What was expected needs no stack; a bug is found by one. */
  #error(error: Error, depth: number): unknown {
    const { code } = error as { code?: unknown };
    return {
      name: error.name,
      message: this.#text(error.message),
      ...(code === undefined ? {} : { code: this.#value(code, depth + 1) }),
      ...(error instanceof ReeveError || error.stack === undefined
        ? {}
        : { stack: this.#text(error.stack) }),
      ...(error.cause === undefined ? {} : { cause: this.#value(error.cause, depth + 1) }),
    };
  }
}
