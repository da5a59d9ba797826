/** A JSON Schema becomes a function that complains, whatever its draft. */
import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import type { JsonSchema } from "../servers/server.js";

export type Validate = (value: unknown) => readonly ErrorObject[];

const options: Options = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  logger: false,
  verbose: true,
};

/**
 * `isOurs`: it is known to be right, and most of the time that this takes goes into finding that out.
 * @throws Error, in ajv's words, when the schema itself is wrong.
 */
export function compileSchema(schema: JsonSchema, isOurs = false): Validate {
  const { $schema = "", ...rest } = schema;
  const validate = ajvFor($schema, { ...options, validateSchema: !isOurs }).compile(nullable(rest));
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

function ajvFor(draft: string, how: Options): Ajv {
  if (/draft-04/.test(draft)) return new draft04.default(how) as unknown as Ajv;
  if (/2020-12|2019-09/.test(draft)) return new Ajv2020(how) as unknown as Ajv;
  return new Ajv(how);
}

/** A property whose default is null may be null, whatever its type says: many schemas say it in no other way. */
function nullable(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!properties) return schema;
  const widened = Object.entries(properties).map(([key, property]) => {
    const { type, default: byDefault, enum: choices, properties: inner } = property;
    const deeper = inner ? nullable(property as JsonSchema) : property;
    if (byDefault !== null || type === undefined) return [key, deeper] as const;
    const types = [type].flat();
    const wider = types.includes("null") ? types : [...types, "null"];
    const withNull = choices && !choices.includes(null) ? { enum: [...choices, null] } : {};
    return [key, { ...deeper, type: wider, ...withNull }] as const;
  });
  return { ...schema, properties: Object.fromEntries(widened) };
}
