/** Turns validator errors into messages about the user's text. */
import type { ErrorObject } from "ajv";
import { suggestKey } from "./suggest.js";

export interface SchemaIssue {
  readonly code: "type" | "choice" | "unknown_key" | "value";
  /** Keys and indices to the value it is about. */
  readonly path: readonly string[];
  readonly message: string;
  /** The value that was meant. */
  readonly instead?: unknown;
  /** The key within the value at `path` that it is about. */
  readonly key?: string;
}

/** Words of a schema that only repeat what their parts have said. */
const ECHOES: ReadonlySet<string> = new Set(["if", "allOf", "$ref"]);

export function complaints(errors: readonly ErrorObject[]): readonly SchemaIssue[] {
  const seen = new Set<string>();
  return errors
    .filter(({ keyword }) => !ECHOES.has(keyword))
    .map(complaint)
    .filter(({ path, message }) => {
      const same = JSON.stringify([path, message]);
      if (seen.has(same)) return false;
      seen.add(same);
      return true;
    });
}

function complaint({ keyword, instancePath, params, message, data }: ErrorObject): SchemaIssue {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const subject = path.length === 0 ? "the file" : `\`${nameOf(path)}\``;
  if (keyword === "type") {
    const types = [params.type as string | readonly string[]].flat();
    const instead = otherWriting(data, types);
    return {
      code: "type",
      path,
      message: `${subject} must be ${typesText(types)}, not ${valueText(data)}`,
      ...(instead === undefined ? {} : { instead }),
    };
  }
  if (keyword === "enum" || keyword === "const") {
    const choices =
      keyword === "enum" ? (params.allowedValues as unknown[]) : [params.allowedValue];
    const names = choices.filter((choice) => typeof choice === "string");
    const meant = typeof data === "string" ? suggestKey(data, names) : undefined;
    return {
      code: "choice",
      path,
      message: `${subject} must be ${oneOf(choices.map((choice) => JSON.stringify(choice)))}, not ${valueText(data)}`,
      ...(meant === undefined ? {} : { instead: meant }),
    };
  }
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const key = String(params.additionalProperty ?? params.unevaluatedProperty);
    return { code: "unknown_key", path, key, message: `there is no setting \`${key}\`` };
  }
  return { code: "value", path, message: `${subject} ${message ?? "is not allowed"}` };
}

/** `build_on_save_args[1]`. */
const nameOf = (path: readonly string[]): string =>
  path.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`));

const TYPES: Readonly<Record<string, string>> = {
  boolean: "`true` or `false`",
  string: "text",
  number: "a number",
  integer: "a whole number",
  array: "a list",
  object: "an object",
  null: "`null`",
};

const typesText = (types: readonly string[]): string =>
  oneOf(types.map((type) => TYPES[type] ?? type));

const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

function valueText(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null) return "`null`";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return `the text ${shortened(JSON.stringify(value))}`;
  return typeof value === "number" ? `the number ${value}` : `\`${String(value)}\``;
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…"` : text);

/** The same value in the right type, where it is plain what was meant: `"true"`, `1`, one text for a list of texts. */
function otherWriting(value: unknown, types: readonly string[]): unknown {
  if (types.includes("boolean")) {
    if (value === "true" || value === 1) return true;
    if (value === "false" || value === 0) return false;
  }
  if (types.includes("array") && typeof value === "string") return [value];
  if (types.includes("number") && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)) {
    return Number(value);
  }
  return undefined;
}
