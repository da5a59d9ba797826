/**
 * JSON Schema of a whole configuration in its JSON equivalent (`json/read.ts`), made from the same zod schemas that check
 * values. An editor that knows JSON Schema completes and checks `*.reeve.json` with it.
 */
import * as z from "zod";
import type {
  AttributeDescriptor,
  BlockDescriptor,
  NestedBlockDescriptor,
  TypeDescriptor,
} from "../../plugin-api/descriptor.js";
import { Kinds } from "../assemble/kinds.js";
import { Translator, typeOfSchema } from "../check/translate.js";
import { daemonDescriptor, pluginDescriptor } from "../daemon-block.js";
import { constantValue } from "../evaluate/constant.js";
import { encodeJson } from "../functions/json.js";
import type { BoundPlugin } from "../program.js";
import { isObject } from "../values/value.js";
import { definitions, type SchemaDocument, structure } from "./json-structure.js";

/** Where an expression may stand, in the schema's own definitions. */
const EXPRESSION = { $ref: "#/$defs/expression" };

export function jsonSchemaOf(plugins: readonly BoundPlugin[]): SchemaDocument {
  const kinds = new Kinds(plugins);
  const blocks: Record<string, SchemaDocument> = {};
  for (const name of kinds.names) {
    const kind = kinds.find(name);
    if (kind) blocks[name] = oneOrMore(blockSchema(kind.descriptor, kind.translator));
  }
  const own = new Translator(undefined);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Reeve configuration",
    description: "The JSON equivalent of a `*.reeve` file.",
    type: "object",
    properties: {
      ...structure,
      daemon: blockSchema(daemonDescriptor, own),
      plugin: oneOrMore(blockSchema(pluginDescriptor, own)),
      test: oneOrMore({ $ref: "#/$defs/body" }),
      ...blocks,
    },
    additionalProperties: false,
    $defs: definitions,
  };
}

const oneOrMore = (schema: SchemaDocument): SchemaDocument => ({
  anyOf: [schema, { type: "array", items: schema, minItems: 1 }],
});

/** Mixins and `for` may bring what is required, so a body says only what each name holds. */
function blockSchema(descriptor: BlockDescriptor, translator: Translator): SchemaDocument {
  const properties: Record<string, SchemaDocument> = {};
  for (const [name, attribute] of Object.entries(descriptor.attributes)) {
    if (!attribute.removed) properties[name] = attributeSchema(attribute, translator);
  }
  for (const [kind, nested] of Object.entries(descriptor.blocks)) {
    properties[kind] = nestedSchema(nested, translator);
  }
  return {
    type: "object",
    ...(descriptor.doc === undefined ? {} : { description: descriptor.doc }),
    ...(descriptor.deprecated ? { deprecated: true } : {}),
    properties: {
      $block: labelsSchema(descriptor, translator),
      $doc: { type: "string" },
      ...structure,
      ...properties,
    },
    required: ["$block"],
    additionalProperties: false,
  };
}

function labelsSchema(descriptor: BlockDescriptor, translator: Translator): SchemaDocument {
  const { labels } = descriptor;
  const least = labels.filter(({ required }) => required).length;
  return {
    description: "The names in the block's header.",
    type: "array",
    ...(labels.length === 0
      ? {}
      : { prefixItems: labels.map(({ type }) => orExpression(typeSchema(type, translator))) }),
    minItems: least,
    maxItems: labels.length,
  };
}

function nestedSchema(nested: NestedBlockDescriptor, translator: Translator): SchemaDocument {
  const block = blockSchema(nested, translator);
  if (nested.maximum === 1) return block;
  const most = nested.maximum === undefined ? {} : { maxItems: nested.maximum };
  return { anyOf: [block, { type: "array", items: block, ...most }] };
}

function attributeSchema(attribute: AttributeDescriptor, translator: Translator): SchemaDocument {
  const { doc, deprecated, default: text, examples } = attribute;
  const schema = orExpression(typeSchema(attribute.type, translator));
  return {
    ...schema,
    ...(doc === undefined ? {} : { description: doc }),
    ...(deprecated ? { deprecated: true } : {}),
    ...(text === undefined ? {} : { default: jsonOf(text) }),
    ...(examples === undefined ? {} : { examples: examples.map(jsonOf) }),
  };
}

/** A constant of the language in the JSON equivalent. */
function jsonOf(text: string): unknown {
  const value = constantValue(text);
  if (isObject(value) && "faults" in value) return { $expr: text };
  try {
    const json: unknown = JSON.parse(encodeJson(value as Parameters<typeof encodeJson>[0]));
    return typeof value === "object" && value !== null && !Array.isArray(value) && !isObject(value)
      ? { $expr: text }
      : json;
  } catch {
    return { $expr: text };
  }
}

/** Every value may be an expression instead. */
function orExpression(schema: SchemaDocument): SchemaDocument {
  if (schema === EXPRESSION || Object.keys(schema).length === 0) return schema;
  const branches =
    Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? schema.anyOf : [schema];
  const expressions = branches.filter((branch) => branch?.$ref === EXPRESSION.$ref);
  return expressions.length > 0 ? schema : { anyOf: [...branches, EXPRESSION] };
}

function typeSchema(type: TypeDescriptor, translator: Translator): SchemaDocument {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(translator.schema(type), {
    io: "output",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const type = typeOfSchema(zodSchema);
      if (type?.type === "object") jsonSchema.required = requiredIn(type.attributes);
      if (!type || type.type === "object") return;
      for (const key of Object.keys(jsonSchema))
        delete (jsonSchema as Record<string, unknown>)[key];
      Object.assign(jsonSchema, leafSchema(type));
    },
  });
  return schema;
}

const requiredIn = (attributes: BlockDescriptor["attributes"]): string[] =>
  Object.entries(attributes).flatMap(([name, attribute]) =>
    attribute.required && attribute.default === undefined ? [name] : [],
  );

/** What JSON itself has; everything with a literal of its own is an expression. */
function leafSchema(type: TypeDescriptor): SchemaDocument {
  switch (type.type) {
    case "string":
      return {
        type: "string",
        ...(type.minLength === undefined ? {} : { minLength: type.minLength }),
        ...(type.maxLength === undefined ? {} : { maxLength: type.maxLength }),
        ...(type.pattern === undefined ? {} : { pattern: type.pattern }),
      };
    case "number":
      return {
        type: type.integer ? "integer" : "number",
        ...(type.minimum === undefined ? {} : { minimum: type.minimum }),
        ...(type.maximum === undefined ? {} : { maximum: type.maximum }),
      };
    case "boolean":
      return { type: "boolean" };
    case "host_pattern":
    case "path":
      return { type: "string" };
    case "enum":
      return { enum: type.values };
    case "expression":
    case "any":
      return {};
    default:
      return EXPRESSION;
  }
}
