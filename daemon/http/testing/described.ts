import { Ajv2020 } from "ajv/dist/2020.js";
import type { Answer } from "./client.js";

/** The parts of an OpenAPI document that tests look at. */
export interface Described {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** What the description says is wrong with an answer; empty where they agree. */
export function deviations(document: Described, route: string, answer: Answer): string[] {
  const [method = "", path = ""] = route.split(" ");
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status];
  const [type, content] = Object.entries(response?.content ?? {})[0] ?? [];
  if (type === undefined || content === undefined) return [`${answer.status} is not described`];
  if (!answer.headers["content-type"]?.startsWith(type)) {
    return [`${answer.headers["content-type"]} instead of ${type}`];
  }
  const validator = new Ajv2020({ strict: false, allErrors: true });
  const validate = validator.compile({ ...content.schema, components: document.components });
  const value = type.includes("json") ? JSON.parse(answer.body) : answer.body;
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
