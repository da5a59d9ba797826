/** JSON Schema, written shortly. Everything that is described is described completely: no further properties. */
export type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const count: Schema = { type: "integer", minimum: 0 };
export const number: Schema = { type: "number" };
export const time: Schema = { type: "number", description: "Milliseconds since the epoch." };
export const duration: Schema = { type: "number", minimum: 0, description: "Milliseconds." };
export const bytes: Schema = { type: "integer", minimum: 0, description: "Bytes." };
export const anything: Schema = {};

export const oneOf = (...values: readonly string[]): Schema => ({ type: "string", enum: values });
export const exactly = (value: string | number | boolean): Schema => ({ const: value });
export const list = (items: Schema): Schema => ({ type: "array", items });
export const map = (values: Schema): Schema => ({ type: "object", additionalProperties: values });
export const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas });
export const says = (schema: Schema, description: string): Schema => ({ ...schema, description });

/** Properties with `?` at the end of their name may be absent. */
export function object(properties: Properties, description?: string): Schema {
  const names = Object.keys(properties);
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(
      names.map((name) => [name.replace(/\?$/, ""), properties[name] ?? anything]),
    ),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

/** Another schema of `all.ts`, by its name. */
export const ref = (name: string): Schema => ({ $ref: `${name}#` });
