import type { FastifyInstance } from "fastify";
import type { EventQuery } from "../api.js";
import { EventStream } from "../event-stream.js";
import type { RouteContext } from "../route-context.js";
import { ref } from "../schemas/make.js";
import { runSummary } from "../views.js";

const SNAPSHOT_RUNS = 50;

export function eventRoutes(
  app: FastifyInstance,
  { subjects: { kit }, reader, boot }: RouteContext,
): void {
  const streams = new Set<EventStream>();
  const snapshot = async () => {
    const [status, runs] = await Promise.all([
      reader.status(),
      kit.runs.list({ limit: SNAPSHOT_RUNS }),
    ]);
    return { status, runs: runs.map(runSummary) };
  };

  app.get<{ Querystring: EventQuery }>(
    "/v1/events",
    {
      schema: {
        operationId: "events",
        summary: "What happens, line by line, without an end.",
        querystring: {
          type: "object",
          properties: {
            since: { type: "integer", minimum: 0 },
            boot: { type: "string" },
            most: { type: "integer", minimum: 1, maximum: 1000 },
          },
        },
        response: {
          200: {
            description: "One EventLine a line.",
            content: { "application/x-ndjson": { schema: ref("EventLine") } },
          },
        },
      },
    },
    (request, reply) => {
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
      raw.flushHeaders();
      const sink = { write: (text: string) => raw.write(text), end: () => void raw.end() };
      const stream = new EventStream({ kit, boot, snapshot }, sink, request.query);
      streams.add(stream);
      raw.on("drain", () => stream.drained());
      raw.on("error", () => stream.close());
      raw.on("close", () => {
        stream.close();
        streams.delete(stream);
      });
    },
  );
  app.addHook("preClose", () => {
    for (const stream of streams) stream.close();
  });
}
