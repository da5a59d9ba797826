import type { FastifyInstance } from "fastify";
import type { LogList, LogQuery } from "../api.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";

export function logRoutes(app: FastifyInstance, { subjects: { kit }, boot }: RouteContext): void {
  app.get<{ Querystring: Required<LogQuery> }>(
    "/v1/logs",
    {
      schema: {
        operationId: "logs",
        summary: "The newest lines of the log, oldest first.",
        querystring: {
          type: "object",
          properties: { since: { type: "integer", minimum: 0, default: 0 } },
        },
        response: answers({ 200: "LogList" }),
      },
    },
    ({ query: { since } }): LogList => ({ lines: kit.logLines.since(since), boot }),
  );
}
