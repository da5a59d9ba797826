/** Values of requests: text, booleans, numbers with their text, null, lists and objects without a prototype. */

/** A number keeps its text: `1.0`, `1e400` and ids of twenty digits stay as sent. */
export class SourceNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type FieldValue =
  | string
  | boolean
  | null
  | SourceNumber
  | readonly FieldValue[]
  | FieldValues;
export interface FieldValues {
  readonly [name: string]: FieldValue;
}

/** Inherits nothing, like `Object.create(null)`, which V8 makes a slow hash table from its first member on. */
class Values {
  [name: string]: FieldValue;
}
Reflect.deleteProperty(Values.prototype, "constructor");
Object.setPrototypeOf(Values.prototype, null);

export const newValues = (): Record<string, FieldValue> => new Values();

export const isValues = (value: FieldValue | undefined): value is FieldValues =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof SourceNumber);

/** The text for an argument or a variable. */
export function textOf(value: FieldValue): string {
  if (typeof value === "string") return value;
  if (value === null) return "<nil>";
  if (typeof value === "boolean") return String(value);
  if (value instanceof SourceNumber) return value.text;
  return compactJson(value);
}

/** Without blanks, names in byte order, numbers as sent. */
export function compactJson(value: FieldValue): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof SourceNumber) return value.text;
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(compactJson).join(",")}]`;
  const members = Object.entries(value as FieldValues)
    .map(([name, member]) => [Buffer.from(name), name, member] as const)
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([, name, member]) => `${quoted(name)}:${compactJson(member)}`);
  return `{${members.join(",")}}`;
}

const quoted = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
