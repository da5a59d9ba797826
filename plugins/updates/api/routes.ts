/** Every address of the API. */
import type { UpdatesRuntime } from "../runtime.js";
import { fieldsOf } from "./body.js";
import { bulkCreate } from "./bulk.js";
import { changeFields, createFields, readOnly } from "./config-fields.js";
import { changeConfig, createConfig, findConfig, mayPush, removeConfig } from "./configs.js";
import type { FastifyInstance } from "./fastify.js";
import { listAccounts, listRepos } from "./listings.js";
import { announceRelease } from "./notifications.js";
import { changePull, listPulls, listRuns, onePull, oneRun, why } from "./progress.js";
import { callerOf, idOf } from "./request.js";
import { configResource } from "./resources.js";

export function resourceRoutes(app: FastifyInstance, service: UpdatesRuntime): void {
  app.get("/accounts", async (request) => listAccounts(service, await callerOf(service, request)));
  app.get("/repos", async (request) =>
    listRepos(service, await callerOf(service, request), request),
  );

  app.get("/update_configs/:id", async (request) => {
    const caller = await callerOf(service, request);
    return { data: configResource((await findConfig(service, caller, idOf(request))).config) };
  });
  app.post("/update_configs", async (request, reply) => {
    const caller = await callerOf(service, request);
    const sent = fieldsOf(request.body, createFields, { readOnly });
    const config = await createConfig(service, caller, sent);
    reply.code(201).header("location", `${service.url}/update_configs/${config.id}`);
    return { data: configResource(config) };
  });
  app.post(
    "/update_configs/bulk_create",
    { bodyLimit: 4 * 1024 * 1024 },
    async (request, reply) => {
      const { status, body } = await bulkCreate(
        service,
        await callerOf(service, request),
        request.body,
      );
      reply.code(status);
      return body;
    },
  );
  app.patch("/update_configs/:id", async (request) => {
    const caller = await callerOf(service, request);
    const sent = fieldsOf(request.body, changeFields, { readOnly });
    return { data: configResource(await changeConfig(service, caller, idOf(request), sent)) };
  });
  app.delete("/update_configs/:id", async (request, reply) => {
    await removeConfig(service, await callerOf(service, request), idOf(request));
    return reply.code(204).send();
  });
  app.post("/update_configs/:id/runs", async (request, reply) => {
    const caller = await callerOf(service, request);
    const { config, repo } = await findConfig(service, caller, idOf(request));
    await mayPush(service, caller, repo);
    await service.enqueue([config], "by hand");
    reply.code(202);
    return { data: configResource(config) };
  });
  app.get("/update_configs/:id/dependencies", async (request) =>
    why(service, await callerOf(service, request), request),
  );

  app.post("/release_notifications/private", async (request, reply) => {
    const answer = await announceRelease(service, await callerOf(service, request), request);
    if (!answer) return reply.code(204).send();
    reply.code(answer.status);
    return answer.body;
  });

  app.get("/runs", async (request) => listRuns(service, await callerOf(service, request), request));
  app.get("/runs/:id", async (request) =>
    oneRun(service, await callerOf(service, request), request),
  );
  app.get("/pull_requests", async (request) =>
    listPulls(service, await callerOf(service, request), request),
  );
  app.get("/pull_requests/:id", async (request) =>
    onePull(service, await callerOf(service, request), request),
  );
  app.patch("/pull_requests/:id", async (request) =>
    changePull(service, await callerOf(service, request), request),
  );
}
