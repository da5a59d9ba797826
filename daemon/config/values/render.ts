/** Any value as it would be written in the language: shortened, secrets masked. For plans, explanations and messages. */
import type { Block, Expression, Pattern, Reference, Secret } from "../../plugin-api/values.js";
import { Quantity } from "./quantity.js";

/** Renderings longer than this are cut and end in `…`. */
const SHORT = 120;

/** Renders a value of the language or of a program. At most `limit` characters. */
export function renderValue(value: unknown, limit: number = SHORT): string {
  const text = render(value, limit);
  return text.length > limit ? `${cut(text, limit - 1)}…` : text;
}

/** Cuts without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/** Stops looking once there is more text than will be shown. */
function render(value: unknown, budget: number): string {
  if (value === undefined) return "null";
  if (typeof value === "string")
    return quoteString(value.length > budget + 8 ? value.slice(0, budget + 8) : value);
  if (value === null || typeof value !== "object") return String(value);
  if (value instanceof Quantity) return value.toString();
  if (Array.isArray(value)) return `[${renderEach(value, budget, (item) => item)}]`;
  if (isPlain(value)) {
    if (Object.keys(value).length === 0) return "{}";
    return `{ ${renderEach(
      Object.entries(value),
      budget,
      ([, item]) => item,
      ([name]) => `${renderKey(name)} = `,
    )} }`;
  }
  return renderSpecial(value, budget);
}

function renderEach<Item>(
  items: readonly Item[],
  budget: number,
  contentOf: (item: Item) => unknown,
  prefix: (item: Item) => string = () => "",
): string {
  let text = "";
  for (const item of items) {
    if (text.length > budget) break;
    const comma = text === "" ? "" : ", ";
    text += `${comma}${prefix(item)}${render(contentOf(item), budget - text.length)}`;
  }
  return text;
}

/** Patterns, references, secrets, expressions and blocks: they know how they are written. */
function renderSpecial(value: object, budget: number): string {
  if (isExpression(value)) return value.text.replace(/\s+/g, " ");
  if (isBlock(value)) {
    const labels = value.labels.map((label) => ` ${quoteString(label)}`).join("");
    const present = Object.entries(value.values).filter(([, each]) => each !== undefined);
    const body = renderEach(
      present,
      budget,
      ([, each]) => each,
      ([name]) => `${name} = `,
    );
    return `${value.kind}${labels} { ${body} }`;
  }
  return String(value as Pattern | Reference | Secret);
}

const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};
const isExpression = (value: object): value is Expression =>
  "evaluate" in value && "text" in value && typeof value.text === "string";
const isBlock = (value: object): value is Block => "rangeOf" in value && "values" in value;

/** The key of an object entry: bare where it can be. */
export const renderKey = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quoteString(name);

const escapes: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A string of the language, in double quotes. */
export function quoteString(text: string): string {
  const escaped = text
    .replace(/[\n\t\r"\\]/g, (character) => escapes[character] ?? character)
    .replace(/\$(?=\{)/g, "\\$")
    .replace(
      /[\p{Cc}\p{Cs}\u2028\u2029]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    );
  return `"${escaped}"`;
}
