import type { FastifyInstance } from "fastify";
import type { Alive } from "../api.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";

export function healthRoutes(
  app: FastifyInstance,
  { subjects: { kit }, reader }: RouteContext,
): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "alive",
        summary: "Whether the process answers.",
        response: answers({ 200: "Alive" }),
      },
    },
    (): Alive => ({ status: "ok" }),
  );
  app.get(
    "/readyz",
    {
      schema: {
        operationId: "ready",
        summary: "Whether a configuration runs and every plugin does its job.",
        response: answers({ 200: "Readiness", 503: "Readiness" }),
      },
    },
    async (_request, reply) => {
      const readiness = reader.readiness();
      return reply.code(readiness.ready ? 200 : 503).send(readiness);
    },
  );
  app.get(
    "/metrics",
    {
      schema: {
        operationId: "metrics",
        summary: "Prometheus text exposition.",
        response: {
          200: {
            description: "Metrics.",
            content: { "text/plain": { schema: { type: "string" } } },
          },
        },
      },
    },
    async (_request, reply) =>
      reply
        .type(kit.metrics.contentType)
        .serializer((text: string) => text)
        .send(await kit.metrics.text()),
  );
}
