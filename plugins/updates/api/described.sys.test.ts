/** Every operation keeps to what `/openapi.json` says of it, whatever is sent: its parameters and body come from the description, right and wrong. */

import { Ajv2020 } from "ajv/dist/2020.js";
import test from "ava";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import { type Sent, updatesFixture } from "../testing/fixture.js";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Operation {
  readonly parameters: ReadonlyArray<{
    name: string;
    in: "path" | "query";
    required: boolean;
    schema: Schema;
  }>;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom("", "0", "-1", "99", "1e3", "%00", "../..", "a\u0000b", null, true, 1, 2 ** 53),
);

/** Values that a schema allows, and now and then one that it may not. */
function valuesOf(schema: Schema, all: Description): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: rightOf(schema, all) }, { weight: 1, arbitrary: junk });
}

function rightOf(schema: Schema, all: Description): fc.Arbitrary<unknown> {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return rightOf(all.components.schemas[name] ?? {}, all);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => rightOf(each, all)));
  switch ([schema.type].flat()[0]) {
    case "integer":
      return fc.constantFrom(1, 2, 50);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, all), { maxLength: 3 });
    case "object": {
      const fields = Object.entries(schema.properties ?? {});
      const values = Object.fromEntries(fields.map(([key, each]) => [key, valuesOf(each, all)]));
      return fc.record(values, { requiredKeys: [] });
    }
    default:
      return fc.constantFrom("1", "/", "acme/site", "left-foo", "1.0.0");
  }
}

interface RequestParts {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function requestsFor(operation: Operation, all: Description): fc.Arbitrary<RequestParts> {
  const at = (named: "path" | "query") =>
    Object.fromEntries(
      operation.parameters
        .filter((each) => each.in === named)
        .map(({ name, schema }) => [name, valuesOf(schema, all)]),
    );
  const body = operation.requestBody?.content["application/json"]?.schema;
  return fc.record({
    path: fc.record(at("path")),
    query: fc.record(at("query"), { requiredKeys: [] }),
    ...(body ? { body: valuesOf(body, all) } : {}),
  });
}

/** The simplest that is right. */
function plainOf(operation: Operation, all: Description, repoId: number): RequestParts {
  const known: Readonly<Record<string, unknown>> = {
    ...{ id: "1", "repo-id": repoId, "account-id": "1", "account-type": "org" },
    ...{ "installation-state": "active", repo: "acme/site", directory: "/app", state: "closed" },
    ...{ "dependency-name": "left-foo", name: "left-foo", "update-schedule": "live" },
    "package-manager": "npm_and_yarn",
  };
  const of = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => name in known).map((name) => [name, known[name]]));
  const needed = operation.parameters.filter(({ required }) => required);
  const named = (where: "path" | "query") =>
    of(needed.filter((each) => each.in === where).map(({ name }) => name));
  const body = operation.requestBody?.content["application/json"]?.schema;
  const fields = all.components.schemas[body?.$ref?.split("/").at(-1) ?? ""]?.properties;
  return {
    ...{ path: named("path"), query: named("query") },
    ...(body ? { body: fields ? of(Object.keys(fields)) : [] } : {}),
  };
}

const inAddress = (value: unknown): string =>
  encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value).toWellFormed());

function addressOf(template: string, { path, query }: RequestParts): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => inAddress(path[name]));
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${inAddress(value)}`);
  return `${filled}?${pairs.join("&")}`;
}

/** What is not as the description says; undefined where all is. */
function complaintOf(answer: Sent, { responses }: Operation, ajv: Ajv2020): string | undefined {
  const { status, json, text } = answer;
  if (status >= 500) return "an error of ours";
  const named = responses[status] ?? (status >= 400 ? responses.default : undefined);
  if (!named) return "the status is not described";
  if (!named.content) return text === "" ? undefined : "a body that is not described";
  const [kind = ""] = (answer.headers.get("content-type") ?? "").split(";");
  const schema = named.content[kind]?.schema;
  if (!schema) return `the kind ${kind} is not described`;
  const located = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
  if (!ajv.validate(located, json ?? text)) return ajv.errorsText();
  if (status < 400) return undefined;
  const [error] = json.errors;
  // Of many that were sent at once, each has a status of its own.
  const isStatus = error.status === status || error.meta?.index !== undefined;
  const isReason = isStatus && typeof error.detail === "string";
  return isReason ? undefined : "a refusal without its reason";
}

test("every response matches the description, whatever the request", async (t) => {
  const at = await updatesFixture(t);
  const repo = await at.repo("site", { "package.json": "{}", "app/package.json": "{}" });
  const made = await at.config(repo);
  t.is(made.status, 201);
  await at.plugin.until(
    async () => (await at.send("GET", "/runs")).json.data.length > 0,
    "the first run",
  );
  const all = (await at.send("GET", "/openapi.json")).json as Description;
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ components: all.components }, "api");
  const answered = new Set<string>();
  const kinds = Object.entries(all.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  // Whatever removes comes last, so that the others have something to find.
  const last = ({ method }: { method: string }): number => Number(method === "delete");
  for (const { path, method, operation } of kinds.toSorted((a, b) => last(a) - last(b))) {
    const key = `${method.toUpperCase()} ${path}`;
    // It never ends: what is heard on it has a test of its own.
    if (path === "/events") continue;
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, all), async (parts) => {
        const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
        const answer = await at.send(method.toUpperCase(), addressOf(path, parts), body);
        const complaint = complaintOf(answer, operation, ajv);
        if (complaint !== undefined) {
          throw new Error(`${key}: ${complaint}: ${answer.status} ${answer.text.slice(0, 500)}`);
        }
        if (answer.status < 400) answered.add(key);
      }),
      {
        numRuns: runs(8, 25),
        includeErrorInReport: true,
        examples: [[plainOf(operation, all, repo.id)]],
      },
    );
  }
  // There is no pull request to show or to close.
  const silent = kinds.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  t.deepEqual(silent.filter((key) => !answered.has(key)).sort(), [
    "GET /events",
    "GET /pull_requests/{id}",
    "PATCH /pull_requests/{id}",
  ]);
});
