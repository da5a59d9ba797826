/** The routes of the reference API. */
import type { Ports } from "../pipeline/ports.js";
import { parseFields } from "./body.js";
import { bulkCreate } from "./bulk.js";
import { changeFields, createFields, readOnly } from "./config-fields.js";
import { changeConfig, createConfig, findConfig, mayPush, removeConfig } from "./configs.js";
import type { FastifyInstance } from "./fastify.js";
import { listAccounts, listRepos } from "./listings.js";
import { announceRelease } from "./notifications.js";
import { changePull, listPulls, listRuns, onePull, oneRun, previewDecisions } from "./progress.js";
import { callerOf, idOf } from "./request.js";
import { configResource } from "./resources.js";

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
    await removeConfig(ports, await callerOf(ports, request), idOf(request));
    return reply.code(204).send();
  });
  app.post("/update_configs/:id/runs", async (request, reply) => {
    const caller = await callerOf(ports, request);
    const { config, repo } = await findConfig(ports, caller, idOf(request));
    await mayPush(ports, caller, repo);
    await ports.enqueue([config], "by hand");
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
