/** The parts of the JSON equivalent that are there without any plugin. */

import { parameterTypes } from "../evaluate/parameter-type.js";

export type SchemaDocument = Readonly<Record<string, unknown>>;

/** What the parts refer to: `#/$defs/…`. */
export const definitions: SchemaDocument = {
  expression: {
    description: "An expression in the language: `30s`, `let.x`, `payload.ref`.",
    type: "object",
    properties: { $expr: { type: "string" } },
    required: ["$expr"],
    additionalProperties: false,
  },
  body: { description: "The inside of a block.", type: "object" },
};

const listOr = (schema: SchemaDocument): SchemaDocument => ({
  anyOf: [schema, { type: "array", items: schema }],
});

/** What may stand in every body besides attributes and blocks. */
export const structure: SchemaDocument = {
  $let: { description: "Values by name: `let.name`.", type: "object" },
  $param: {
    description: "Parameters of a mixin or file by name; their values are `let.name`.",
    type: "object",
    additionalProperties: {
      type: "object",
      properties: { type: { enum: parameterTypes }, default: {} },
      additionalProperties: false,
    },
  },
  $use: { description: "Mixins to use.", ...listOr({ type: "string" }) },
  $import: {
    description: "Files to read besides.",
    ...listOr({
      anyOf: [
        { type: "string" },
        {
          type: "object",
          properties: {
            path: { type: "string" },
            with: { description: "Values for the file's parameters.", type: "object" },
            as: { type: "string" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      ],
    }),
  },
  $mixin: {
    description: "Bodies to use elsewhere.",
    type: "object",
    additionalProperties: { $ref: "#/$defs/body" },
  },
  $for: {
    description: "A body for every element of a list.",
    ...listOr({
      type: "object",
      properties: {
        each: { type: "string" },
        key: { type: "string" },
        in: {},
        do: { $ref: "#/$defs/body" },
      },
      required: ["each", "in", "do"],
      additionalProperties: false,
    }),
  },
  $if: {
    description: "A body that counts under a condition.",
    ...listOr({
      type: "object",
      properties: { test: {}, do: { $ref: "#/$defs/body" }, else: { $ref: "#/$defs/body" } },
      required: ["test", "do"],
      additionalProperties: false,
    }),
  },
};
