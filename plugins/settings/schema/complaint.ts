/** Turns validator errors into messages about the user's text. */
import type { ErrorObject } from "ajv";
import { suggestKey } from "./suggest.js";

export interface SchemaIssue {
  readonly code: "type" | "choice" | "unknown_key" | "value";
  /** Keys and indices to the value it is about. */
  readonly path: readonly string[];
  readonly message: string;
  /** The value that was meant; of an unknown key, the key. */
  readonly instead?: unknown;
  /** The key within the value at `path` that it is about. */
  readonly key?: string;
}

/** Words of a schema that only repeat what their parts have said. */
const ECHOES: ReadonlySet<string> = new Set(["if", "allOf", "$ref"]);

/**
 * One fault, one issue. A validator reports a wrong value by its type, by its choices and by every alternative; together
 * they are one list of what is allowed.
 */
export function complaints(errors: readonly ErrorObject[]): readonly SchemaIssue[] {
  const byPath = Map.groupBy(
    errors.filter(({ keyword }) => !ECHOES.has(keyword)),
    ({ instancePath }) => instancePath,
  );
  const outer = new Set([...byPath.keys()].flatMap(ancestors));
  return [...byPath].flatMap(([pointer, all]) => {
    const path = pathOf(pointer);
    const alternatives = all.filter(({ keyword }) => ALTERNATIVES.has(keyword));
    // An alternative fits, apart from a part of the value that has issues of its own.
    const isPart = alternatives.length > 0 && outer.has(pointer);
    const kinds = isPart ? [] : all.filter(({ keyword }) => KINDS.has(keyword));
    if (kinds.length > 0) return [wrongKind(path, kinds)];
    const others = all.filter(
      ({ keyword }) => !KINDS.has(keyword) && (!isPart || !ALTERNATIVES.has(keyword)),
    );
    const specific = others.filter(({ keyword }) => !ALTERNATIVES.has(keyword));
    const issues = (specific.length > 0 ? specific : others).map((error) => issue(path, error));
    return [...new Map(issues.map((each) => [each.message, each])).values()];
  });
}

/** What says which values are allowed at all. */
const KINDS: ReadonlySet<string> = new Set(["type", "enum", "const"]);
const ALTERNATIVES: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

const ancestors = (pointer: string): readonly string[] => {
  const parts = pointer.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
};

const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

const subjectOf = (path: readonly string[]): string =>
  path.length === 0 ? "the file" : `\`${nameOf(path)}\``;

function wrongKind(path: readonly string[], errors: readonly ErrorObject[]): SchemaIssue {
  const { data } = errors[0] as ErrorObject;
  const choosing = errors.filter(({ keyword }) => keyword !== "type");
  const choices = choosing.flatMap(({ keyword, params }): readonly unknown[] =>
    keyword === "enum" ? params.allowedValues : [params.allowedValue],
  );
  // The type of a list of choices says less than the list.
  const listed = new Set(choosing.map(schemaOf));
  const types = errors
    .filter((error) => error.keyword === "type" && !listed.has(schemaOf(error)))
    .flatMap(({ params }): readonly string[] => [params.type].flat());
  const names = choices.filter((choice) => typeof choice === "string");
  const meant = typeof data === "string" ? suggestKey(data, names) : undefined;
  const instead = meant ?? otherWriting(data, types);
  const allowed = [
    ...types.map((type) => TYPES[type] ?? type),
    ...choices.map((choice) => JSON.stringify(choice)),
  ];
  return {
    code: choices.length > 0 ? "choice" : "type",
    path,
    message: `${subjectOf(path)} must be ${oneOf([...new Set(allowed)])}, not ${valueText(data)}`,
    ...(instead === undefined ? {} : { instead }),
  };
}

/** Where the keyword's schema is. */
const schemaOf = ({ schemaPath }: ErrorObject): string =>
  schemaPath.slice(0, schemaPath.lastIndexOf("/"));

function issue(
  path: readonly string[],
  { keyword, params, message, parentSchema }: ErrorObject,
): SchemaIssue {
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const key = String(params.additionalProperty ?? params.unevaluatedProperty);
    const instead = suggestKey(key, Object.keys(parentSchema?.properties ?? {}));
    return {
      code: "unknown_key",
      path,
      key,
      message: `there is no setting \`${nameOf([...path, key])}\``,
      ...(instead === undefined ? {} : { instead }),
    };
  }
  return { code: "value", path, message: `${subjectOf(path)} ${message ?? "is not allowed"}` };
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
