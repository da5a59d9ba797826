import type { FastifyInstance } from "fastify";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";

export function statusRoutes(app: FastifyInstance, { reader }: RouteContext): void {
  const schema = {
    operationId: "status",
    summary: "All that `reeve status` shows.",
    response: answers({ 200: "Status" }),
  };
  app.get("/v1/status", { schema }, () => reader.status());
}
