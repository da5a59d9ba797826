import type { FastifyInstance } from "fastify";
import { configurationSchemas } from "./configuration.js";
import { ref, type Schema } from "./make.js";
import { pluginSchemas } from "./plugins.js";
import { statusSchemas } from "./status.js";

const schemas: Readonly<Record<string, Schema>> = {
  ...statusSchemas,
  ...pluginSchemas,
  ...configurationSchemas,
};

export function addSchemas(app: FastifyInstance): void {
  for (const [name, schema] of Object.entries(schemas)) app.addSchema({ $id: name, ...schema });
}

/** Answers of a route: schemas by name, JSON unless it is a problem. */
export function answers(byStatus: Readonly<Record<number, string>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, name]) => [
      status,
      {
        description: name,
        content: {
          [name.endsWith("Problem") ? "application/problem+json" : "application/json"]: {
            schema: ref(name),
          },
        },
      },
    ]),
  );
}
