/** The OpenAPI 3.1 description of the API. */
import { packageManagers } from "../managers/index.js";
import { RULES, SCHEDULES } from "./config-fields.js";

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string", minLength: 1 };
const flag: Schema = { type: "boolean" };
const idSchema: Schema = {
  anyOf: [
    { type: "integer", minimum: 0 },
    { type: "string", pattern: "^[0-9]+$" },
  ],
};
const words = (values: readonly string[]): Schema => ({ type: "string", enum: values });
const managers = words([...packageManagers, "github_actions"]);

const changeable = {
  "update-schedule": words(SCHEDULES),
  "target-branch": { type: ["string", "null"] },
  "lockfile-only": flag,
  "security-updates-only": flag,
  "automerge-rule-development-deps": words(RULES),
  "automerge-rule-runtime-deps": words(RULES),
  "update-subdependencies": flag,
  "requirements-update-strategy": {
    enum: ["lockfile_only", "widen_ranges", "bump_versions", "bump_versions_if_necessary", null],
  },
  "automerge-whitelist": { type: "array", items: text },
  "open-pull-requests-limit": { type: "integer", minimum: 0, maximum: 1000 },
} as const;

const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

const schemas = {
  NewUpdateConfig: object(
    {
      ...changeable,
      "repo-id": idSchema,
      "account-id": idSchema,
      "account-type": words(["org", "user"]),
      directory: text,
      "package-manager": managers,
    },
    ["repo-id", "account-id", "account-type", "directory", "update-schedule", "package-manager"],
  ),
  UpdateConfigChange: object(changeable),
  ReleaseNotification: object({ name: text, version: text, "package-manager": managers }, [
    ...["name", "package-manager"],
  ]),
  PullRequestChange: object({ state: words(["closed", "open"]) }, ["state"]),
  Resource: {
    type: "object",
    properties: {
      id: { type: "string" },
      type: { type: "string" },
      attributes: { type: "object" },
      relationships: { type: "object" },
    },
    required: ["id", "type", "attributes"],
  },
  Errors: {
    type: "object",
    properties: {
      errors: {
        type: "array",
        items: {
          type: "object",
          properties: {
            status: { type: "integer" },
            title: { type: "string" },
            detail: { type: "string" },
            code: { type: "string" },
            source: { type: "object" },
            meta: { type: "object" },
          },
          required: ["status", "title"],
        },
      },
    },
    required: ["errors"],
  },
} as const;

const ref = (name: keyof typeof schemas): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema): Schema => ({ "application/json": { schema } });
const one = object({ data: ref("Resource") }, ["data"]);
const many: Schema = {
  type: "object",
  properties: {
    data: { type: "array", items: ref("Resource") },
    included: { type: "array", items: ref("Resource") },
    meta: { type: "object" },
  },
  required: ["data"],
};

interface Operation {
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly body?: Schema;
  readonly status?: number;
  readonly answer?: Schema;
  /** The response by content type, unless it is JSON only. */
  readonly content?: Readonly<Record<string, Schema>>;
  /** Further responses by status, errors aside. */
  readonly also?: Readonly<Record<number, Schema>>;
  readonly open?: true;
}

const page: Schema = { type: "integer", minimum: 1 };
const badge: Operation["content"] = {
  "image/svg+xml": { type: "string" },
  "application/json": object({ status: text, colour: text }, ["status", "colour"]),
};
const listing = { "repo-id": idSchema, "update-config-id": page, before: page, limit: page };

/** By method and path, as in the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  "GET /accounts": { summary: "The accounts the token may see", answer: many },
  "GET /repos": {
    summary: "Repositories of an account, with or without a config",
    query: {
      "account-id": idSchema,
      "account-type": words(["org", "user"]),
      "installation-state": words(["active", "inactive"]),
      page,
    },
    required: ["account-id", "account-type", "installation-state"],
    answer: many,
  },
  "POST /update_configs": {
    summary: "Create an update config",
    body: ref("NewUpdateConfig"),
    status: 201,
    answer: one,
  },
  "POST /update_configs/bulk_create": {
    summary: "Create many update configs; each succeeds or fails alone",
    body: { type: "array", items: ref("NewUpdateConfig"), maxItems: 1000 },
    status: 201,
    answer: many,
  },
  "GET /update_configs/:id": { summary: "One update config", answer: one },
  "PATCH /update_configs/:id": {
    summary: "Change an update config",
    body: ref("UpdateConfigChange"),
    answer: one,
  },
  "DELETE /update_configs/:id": {
    summary: "Remove an update config and close its pull requests; with `keep` they stay open",
    query: { keep: words(["true", "false"]) },
    status: 204,
  },
  "POST /update_configs/:id/runs": {
    summary: "Run an update config now",
    status: 202,
    answer: one,
  },
  "GET /update_configs/:id/dependencies": {
    summary: "Preview the decision about each dependency",
    query: { name: text },
    answer: many,
  },
  "POST /release_notifications/private": {
    summary: "Announce a released version",
    query: { "dry-run": words(["true", "false"]) },
    body: ref("ReleaseNotification"),
    status: 204,
    // For a dry run, and with the header `Prefer: return=representation`.
    also: { 200: many, 202: one },
  },
  "GET /runs": { summary: "Runs, newest first", query: listing, answer: many },
  "GET /runs/:id": { summary: "One run", answer: one },
  "GET /pull_requests": {
    summary: "Pull requests, newest first",
    query: { ...listing, state: words(["open", "merged", "closed"]) },
    answer: many,
  },
  "GET /pull_requests/:id": { summary: "One pull request", answer: one },
  "PATCH /pull_requests/:id": {
    summary: "Close a pull request, or offer the versions of a closed one again",
    body: ref("PullRequestChange"),
    answer: one,
  },
  "GET /events": {
    summary:
      "Server-sent events of all daemons that share a store; `Last-Event-ID` resumes after an event",
    content: { "text/event-stream": { type: "string" } },
  },
  "GET /badges/status": {
    summary: "A badge with the repository's state",
    query: { host: text, repo: text },
    required: ["repo"],
    content: badge,
    open: true,
  },
  "GET /badges/compatibility_score": {
    summary: "A badge with the share of repositories whose checks passed",
    query: {
      "dependency-name": text,
      "package-manager": managers,
      "previous-version": text,
      "new-version": text,
      "version-scheme": text,
    },
    required: ["dependency-name", "package-manager"],
    content: badge,
    open: true,
  },
  "GET /openapi.json": {
    summary: "This description",
    answer: { type: "object", required: ["openapi", "paths"] },
    open: true,
  },
};

export function openApi(url: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [key, operation] of Object.entries(operations)) {
    const [method = "", route = ""] = key.split(" ");
    const path = route.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [method.toLowerCase()]: described(route, operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Dependency updates", version: "1" },
    servers: [{ url }],
    security: [{ personal: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        personal: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "Personal <token>",
        },
      },
    },
  };
}

function described(route: string, operation: Operation): unknown {
  const {
    summary,
    query = {},
    required = [],
    body,
    status = 200,
    answer,
    open,
    also = {},
  } = operation;
  const kinds = operation.content ?? (answer && { "application/json": answer });
  const content =
    kinds && Object.fromEntries(Object.entries(kinds).map(([kind, schema]) => [kind, { schema }]));
  const others = Object.entries(also).map(([other, schema]) => [
    other,
    { description: summary, content: json(schema) },
  ]);
  const pathParameters = [...route.matchAll(/:(\w+)/g)].map(([, name]) => ({
    ...{ name, in: "path", required: true, schema: { type: "string" } },
  }));
  const parameters = Object.entries(query).map(([name, schema]) => ({
    ...{ name, in: "query", required: required.includes(name), schema },
  }));
  return {
    summary,
    ...(open ? { security: [] } : {}),
    parameters: [...pathParameters, ...parameters],
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      [status]: { description: summary, ...(content ? { content } : {}) },
      ...Object.fromEntries(others),
      default: { description: "An error", content: json(ref("Errors")) },
    },
  };
}
