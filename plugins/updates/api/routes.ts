/** Every address of the API. */
import type { UpdatesRuntime } from "../runtime.js";
import { fieldsOf } from "./body.js";
import { bulkCreate } from "./bulk.js";
import { changeFields, createFields, readOnly } from "./config-fields.js";
import { changeConfig, createConfig, found, mayPush, removeConfig } from "./configs.js";
import type { FastifyInstance } from "./fastify.js";
import { listAccounts, listRepos } from "./listings.js";
import { notified } from "./notifications.js";
import { changePull, listPulls, listRuns, onePull, oneRun, why } from "./progress.js";
import { callerOf, idOf } from "./request.js";
import { configResource } from "./resources.js";

export function resourceRoutes(app: FastifyInstance, service: UpdatesRuntime): void {
  app.get("/accounts", async (asked) => listAccounts(service, await callerOf(service, asked)));
  app.get("/repos", async (asked) => listRepos(service, await callerOf(service, asked), asked));

  app.get("/update_configs/:id", async (asked) => {
    const caller = await callerOf(service, asked);
    return { data: configResource((await found(service, caller, idOf(asked))).config) };
  });
  app.post("/update_configs", async (asked, reply) => {
    const caller = await callerOf(service, asked);
    const sent = fieldsOf(asked.body, createFields, { readOnly });
    const config = await createConfig(service, caller, sent);
    reply.code(201).header("location", `${service.url}/update_configs/${config.id}`);
    return { data: configResource(config) };
  });
  app.post("/update_configs/bulk_create", { bodyLimit: 4 * 1024 * 1024 }, async (asked, reply) => {
    const { status, body } = await bulkCreate(service, await callerOf(service, asked), asked.body);
    reply.code(status);
    return body;
  });
  app.patch("/update_configs/:id", async (asked) => {
    const caller = await callerOf(service, asked);
    const sent = fieldsOf(asked.body, changeFields, { readOnly });
    return { data: configResource(await changeConfig(service, caller, idOf(asked), sent)) };
  });
  app.delete("/update_configs/:id", async (asked, reply) => {
    await removeConfig(service, await callerOf(service, asked), idOf(asked));
    return reply.code(204).send();
  });
  app.post("/update_configs/:id/runs", async (asked, reply) => {
    const caller = await callerOf(service, asked);
    const { config, repo } = await found(service, caller, idOf(asked));
    await mayPush(service, caller, repo);
    await service.enqueue([config], "by hand");
    reply.code(202);
    return { data: configResource(config) };
  });
  app.get("/update_configs/:id/dependencies", async (asked) =>
    why(service, await callerOf(service, asked), asked),
  );

  app.post("/release_notifications/private", async (asked, reply) => {
    const answer = await notified(service, await callerOf(service, asked), asked);
    if (!answer) return reply.code(204).send();
    reply.code(answer.status);
    return answer.body;
  });

  app.get("/runs", async (asked) => listRuns(service, await callerOf(service, asked), asked));
  app.get("/runs/:id", async (asked) => oneRun(service, await callerOf(service, asked), asked));
  app.get("/pull_requests", async (asked) =>
    listPulls(service, await callerOf(service, asked), asked),
  );
  app.get("/pull_requests/:id", async (asked) =>
    onePull(service, await callerOf(service, asked), asked),
  );
  app.patch("/pull_requests/:id", async (asked) =>
    changePull(service, await callerOf(service, asked), asked),
  );
}
