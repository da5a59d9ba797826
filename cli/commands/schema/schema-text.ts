/** The schema of configurations with these plugins. */
import type { BoundPlugin } from "../../../daemon/config/program.js";
import { functionReference } from "../../../daemon/config/schema/function-reference.js";
import { jsonSchemaOf } from "../../../daemon/config/schema/json-schema.js";
import { referenceOf } from "../../../daemon/config/schema/reference.js";
import type { SchemaFormat } from "./formats.js";

export function exported(plugins: readonly BoundPlugin[], format: SchemaFormat): string {
  switch (format) {
    case "json-schema":
      return json(jsonSchemaOf(plugins));
    case "descriptor":
      return json({ plugins: plugins.map(descriptorOf) });
    case "reference":
      return [...plugins.map(referenceOf), `# Functions\n\n${functionReference()}\n`].join("\n");
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const descriptorOf = ({ namespace, description }: BoundPlugin): object => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...description,
});
