/** The routes of the reference API. */

import type { Caller } from "../hosts/contract.js";
import type { ConfigFilePorts } from "../pipeline/inbound/sync-config-file.js";
import type { Ports } from "../pipeline/ports.js";
import { parseFields } from "./body.js";
import { changeFields, createFields, readOnly } from "./config-fields.js";
import { changeConfig, createConfig, deleteConfig, findConfig, mayPush } from "./configs.js";
import { ApiError, type ErrorObject } from "./errors.js";
import type { FastifyInstance } from "./fastify.js";
import { listAccounts, listRepos } from "./listings.js";
import { announceRelease } from "./notifications.js";
import { changePull, listPulls, listRuns, onePull, oneRun, previewDecisions } from "./progress.js";
import { callerOf, flagParameter, idOf } from "./request.js";
import { configResource, type Resource } from "./resources.js";

export function resourceRoutes(app: FastifyInstance, ports: Ports): void {
  app.get("/accounts", async (request) => listAccounts(ports, await callerOf(ports, request)));
  app.get("/repos", async (request) => listRepos(ports, await callerOf(ports, request), request));

  app.get("/update_configs/:id", async (request) => {
    const caller = await callerOf(ports, request);
    return { data: configResource((await findConfig(ports, caller, idOf(request))).config) };
  });
  app.post("/update_configs", async (request, reply) => {
    const caller = await callerOf(ports, request);
    const sent = parseFields(request.body, createFields, { readOnly });
    const config = await createConfig(ports, caller, sent);
    reply.code(201).header("location", `${ports.url}/update_configs/${config.id}`);
    return { data: configResource(config) };
  });
  app.post(
    "/update_configs/bulk_create",
    { bodyLimit: 4 * 1024 * 1024 },
    async (request, reply) => {
      const { status, body } = await bulkCreate(
        ports,
        await callerOf(ports, request),
        request.body,
      );
      reply.code(status);
      return body;
    },
  );
  app.patch("/update_configs/:id", async (request) => {
    const caller = await callerOf(ports, request);
    const sent = parseFields(request.body, changeFields, { readOnly });
    return { data: configResource(await changeConfig(ports, caller, idOf(request), sent)) };
  });
  app.delete("/update_configs/:id", async (request, reply) => {
    const caller = await callerOf(ports, request);
    await deleteConfig(ports, caller, idOf(request), flagParameter(request, "keep"));
    return reply.code(204).send();
  });
  app.post("/update_configs/:id/runs", async (request, reply) => {
    const caller = await callerOf(ports, request);
    const { config, repo } = await findConfig(ports, caller, idOf(request));
    await mayPush(ports, caller, repo);
    await ports.enqueue([config], "by hand", { at: ports.clock.now() });
    reply.code(202);
    return { data: configResource(config) };
  });
  app.get("/update_configs/:id/dependencies", async (request) =>
    previewDecisions(ports, await callerOf(ports, request), request),
  );

  app.post("/release_notifications/private", async (request, reply) => {
    const answer = await announceRelease(ports, await callerOf(ports, request), request);
    if (!answer) return reply.code(204).send();
    reply.code(answer.status);
    return answer.body;
  });

  app.get("/runs", async (request) => listRuns(ports, await callerOf(ports, request), request));
  app.get("/runs/:id", async (request) => oneRun(ports, await callerOf(ports, request), request));
  app.get("/pull_requests", async (request) =>
    listPulls(ports, await callerOf(ports, request), request),
  );
  app.get("/pull_requests/:id", async (request) =>
    onePull(ports, await callerOf(ports, request), request),
  );
  app.patch("/pull_requests/:id", async (request) =>
    changePull(ports, await callerOf(ports, request), request),
  );
}

/** Most configs in one request. */
const most = 1000;

/** Creates many configs; each succeeds or fails alone. */
async function bulkCreate(
  ports: ConfigFilePorts & Pick<Ports, "access" | "accounts" | "directory">,
  caller: Caller,
  body: unknown,
) {
  const items = listIn(body);
  const data: Resource[] = [];
  const errors: ErrorObject[] = [];
  for (const [index, item] of items.entries()) {
    const repoId = (item as { "repo-id"?: unknown } | null)?.["repo-id"];
    const meta = { "repo-id": repoId === undefined ? null : String(repoId), index };
    try {
      const config = await createConfig(
        ports,
        caller,
        parseFields(item, createFields, { readOnly }),
      );
      data.push(configResource(config));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      errors.push(
        ...thrown.errors.map((error) => ({ ...error, meta: { ...error.meta, ...meta } })),
      );
    }
  }
  const status = data.length > 0 || items.length === 0 ? 201 : 400;
  return { status, body: { data, ...(errors.length > 0 ? { errors } : {}) } };
}

function listIn(body: unknown): readonly unknown[] {
  const list = Array.isArray(body)
    ? body
    : ((body as { data?: unknown } | undefined)?.data ??
      (body as { "update-configs"?: unknown } | undefined)?.["update-configs"]);
  if (Array.isArray(list) && list.length <= most) return list;
  throw new ApiError(400, `The body must be a list of at most ${most} update configs.`, {
    code: "invalid_body",
  });
}
