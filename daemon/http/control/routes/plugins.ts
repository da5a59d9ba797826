import type { FastifyInstance } from "fastify";
import type { PluginStatus } from "../../../host/contract.js";
import type { PanelList, PluginList } from "../api.js";
import { refuse } from "../errors.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";

const params = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

export function pluginRoutes(app: FastifyInstance, { subjects: { host } }: RouteContext): void {
  const known = (id: string): PluginStatus => {
    const status = host.status().find((plugin) => plugin.id === id);
    if (status !== undefined) return status;
    throw refuse("not_found", `No plugin called \`${id}\` is in use.`);
  };

  app.get(
    "/v1/plugins",
    {
      schema: {
        operationId: "plugins",
        summary: "Plugins that are in use, and how they are.",
        response: answers({ 200: "PluginList" }),
      },
    },
    (): PluginList => ({ plugins: host.status() }),
  );
  for (const verb of ["restart", "release"] as const) {
    app.post<{ Params: { id: string } }>(
      `/v1/plugins/:id/${verb}`,
      {
        schema: {
          operationId: verb,
          summary:
            verb === "restart"
              ? "Replaces a plugin's instance by a new one."
              : "Lifts a plugin's quarantine and starts it again.",
          params,
          response: answers({ 200: "PluginStatus", 404: "Problem", 409: "Problem" }),
        },
      },
      async ({ params: { id } }) => {
        known(id);
        await host[verb](id);
        return known(id);
      },
    );
  }
  app.get(
    "/v1/panels",
    {
      schema: {
        operationId: "panels",
        summary: "What plugins show, as data.",
        response: answers({ 200: "PanelList" }),
      },
    },
    async (): Promise<PanelList> => ({ plugins: await host.panels() }),
  );
}
