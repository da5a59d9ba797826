/** Request bodies: JSON with the position of syntax errors, and typed fields. */
import { ApiError, type ErrorObject, errorObject } from "./errors.js";

/** @throws ApiError with the byte offset of the syntax error */
export function parseBody(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "";
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const offset = Buffer.byteLength(text.slice(0, position));
    throw new ApiError(400, `The body is not valid JSON: look at byte ${offset}.`, {
      code: "invalid_json",
      meta: { offset },
    });
  }
}

/** Parses a field, or returns what it must be. */
export type FieldReader<Value> = (
  sent: unknown,
) => { readonly value: Value } | { readonly must: string };

interface Field<Value> {
  readonly read: FieldReader<Value>;
  readonly required?: boolean;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
export type ParsedFields<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends Field<infer Value> ? Value | undefined : never;
};

export interface FieldsOptions {
  /** Response fields that requests cannot set; they are ignored. */
  readonly readOnly?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** @throws ApiError with all faults */
export function parseFields<const Of extends Fields>(
  body: unknown,
  fields: Of,
  { readOnly = [], meta }: FieldsOptions = {},
): ParsedFields<Of> {
  const sent = unwrapped(body);
  if (sent === undefined) {
    throw new ApiError(400, "The body must be a JSON object.", { code: "invalid_body" });
  }
  const errors: ErrorObject[] = [];
  const complain = (name: string, code: string, detail: string): void => {
    const source = { pointer: `/${name}` };
    errors.push(errorObject(400, detail, { code, source, ...(meta ? { meta } : {}) }));
  };
  const values: Record<string, unknown> = {};
  for (const [name, { read, required }] of Object.entries<Field<unknown>>(fields)) {
    if (!Object.hasOwn(sent, name)) {
      if (required) complain(name, "missing", `${name} is missing.`);
      continue;
    }
    const got = read(sent[name]);
    if ("must" in got) complain(name, "invalid", `${name} must be ${got.must}.`);
    else values[name] = got.value;
  }
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(fields, name) || readOnly.includes(name)) continue;
    complain(name, "unknown", `${name} is not a field of this request.`);
  }
  if (errors.length > 0) throw new ApiError(400, errors);
  return values as ParsedFields<Of>;
}

/** Some clients wrap the fields as responses do. */
function unwrapped(body: unknown): Record<string, unknown> | undefined {
  if (body === undefined) return {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const { data } = body as { data?: { attributes?: unknown } };
  const attributes = data?.attributes;
  if (typeof attributes === "object" && attributes !== null && !Array.isArray(attributes)) {
    return attributes as Record<string, unknown>;
  }
  return body as Record<string, unknown>;
}

// ------------------------------------------------------------ parsers

export const textField =
  (longest = 500): FieldReader<string> =>
  (sent) =>
    typeof sent === "string" && sent.length > 0 && sent.length <= longest && !sent.includes("\0")
      ? { value: sent }
      : { must: "a non-empty string" };

export const flagField: FieldReader<boolean> = (sent) =>
  typeof sent === "boolean" ? { value: sent } : { must: "true or false" };

/** A number, or a string of digits. */
export const idField: FieldReader<number> = (sent) => {
  const isDigits = typeof sent === "string" && /^\d{1,15}$/.test(sent);
  const number = isDigits ? Number(sent) : sent;
  return Number.isSafeInteger(number) && (number as number) >= 0
    ? { value: number as number }
    : { must: "an id: a whole number" };
};

export const oneOfField =
  <const Word extends string>(
    words: readonly Word[],
    aliases: Readonly<Record<string, Word>> = {},
  ): FieldReader<Word> =>
  (sent) => {
    const word =
      typeof sent === "string" && Object.hasOwn(aliases, sent) ? aliases[sent] : (sent as Word);
    return words.includes(word as Word)
      ? { value: word as Word }
      : { must: `one of ${words.join(", ")}` };
  };

export const nullable =
  <Value>(read: FieldReader<Value>): FieldReader<Value | null> =>
  (sent) => {
    if (sent === null) return { value: null };
    const got = read(sent);
    return "must" in got ? { must: `${got.must}, or null` } : got;
  };

export const textsField: FieldReader<readonly string[]> = (sent) =>
  Array.isArray(sent) &&
  sent.length <= 1000 &&
  sent.every((each) => typeof each === "string" && each.length > 0 && each.length <= 500)
    ? { value: sent as string[] }
    : { must: "a list of strings" };

export const whole =
  (least: number, most: number): FieldReader<number> =>
  (sent) =>
    Number.isInteger(sent) && (sent as number) >= least && (sent as number) <= most
      ? { value: sent as number }
      : { must: `a whole number from ${least} to ${most}` };
