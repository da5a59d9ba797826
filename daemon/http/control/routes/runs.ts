import type { FastifyInstance } from "fastify";
import type { RunList, RunQuery } from "../api.js";
import { refuse } from "../errors.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";
import { runStates } from "../schemas/status.js";
import { runSummary } from "../views.js";

export function runRoutes(app: FastifyInstance, { subjects: { kit } }: RouteContext): void {
  app.get<{ Querystring: RunQuery & { readonly limit: number } }>(
    "/v1/runs",
    {
      schema: {
        operationId: "runs",
        summary: "What ran, newest first, without output.",
        querystring: {
          type: "object",
          properties: {
            kind: { type: "string" },
            subject: { type: "string" },
            state: { type: "string", enum: [...runStates] },
            host: { type: "string" },
            before: { type: "string" },
            limit: { type: "integer", minimum: 1, maximum: 1000, default: 50 },
          },
        },
        response: answers({ 200: "RunList" }),
      },
    },
    async ({ query }): Promise<RunList> => {
      const runs = await kit.runs.list(query);
      const last = runs.at(-1);
      return {
        runs: runs.map(runSummary),
        ...(last !== undefined && runs.length === query.limit && { next: last.id }),
        ...(kit.runs.unseen !== undefined && { unseen: kit.runs.unseen }),
      };
    },
  );
  app.get<{ Params: { id: string } }>(
    "/v1/runs/:id",
    {
      schema: {
        operationId: "run",
        summary: "One run with its output.",
        params: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
        response: answers({ 200: "RunRecord", 404: "Problem" }),
      },
    },
    async ({ params: { id } }) => {
      const run = await kit.runs.get(id);
      if (run !== undefined) return run;
      throw refuse("not_found", `There is no run \`${id}\`, or its record is not kept any more.`);
    },
  );
}
