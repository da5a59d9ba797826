/** Fast path for valid JSON: reads values without locations. */
import { DEPTH } from "./depth.js";

/** The value of a text that is JSON without a key twice and not nested too deep; `undefined` where it may not be. */
export function plainJson(text: string): unknown {
  const members = membersOf(text);
  if (members === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Of a key that is there twice only one is left.
    return keysIn(value) === members ? value : undefined;
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Colons outside strings, which in JSON are members; `undefined` where the nesting is too deep or a string has no end. */
function membersOf(text: string): number | undefined {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        if (at < 0) return undefined;
        break;
      case COLON:
        members += 1;
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        if (depth > DEPTH) return undefined;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
    }
  }
  return members;
}

/** The offset of the closing quote; -1 where there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return -1;
}

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  let keys = 0;
  for (const key in value) keys += 1 + keysIn(value[key as keyof typeof value]);
  return keys;
}
