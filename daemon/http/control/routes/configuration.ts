import type { FastifyInstance, FastifyReply } from "fastify";
import type { ReloadOutcome } from "../../../reload/contract.js";
import { PROBLEM_TYPE } from "../../problem.js";
import type { GenerationList, GenerationQuery, PlanResult, RollbackRequest } from "../api.js";
import { refuse } from "../errors.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";
import { ref } from "../schemas/make.js";
import { sourcesFor } from "../sources-for.js";
import { findings, generationDetail, generationSummary, isActive, rejected } from "../views.js";

const MOST = 200;

export function configurationRoutes(
  app: FastifyInstance,
  { subjects: { reloader } }: RouteContext,
): void {
  app.get<{ Querystring: Required<GenerationQuery> }>(
    "/v1/generations",
    {
      schema: {
        operationId: "generations",
        summary: "Attempts to change what runs, newest first.",
        querystring: {
          type: "object",
          properties: { limit: { type: "integer", minimum: 1, maximum: MOST, default: 50 } },
        },
        response: answers({ 200: "GenerationList" }),
      },
    },
    async ({ query: { limit } }): Promise<GenerationList> => {
      const history = await reloader.history(limit);
      const summaries = history.map(async (each) =>
        generationSummary(each, await sourcesFor(reloader, each)),
      );
      return { generations: await Promise.all(summaries) };
    },
  );

  const find = async (number: number) => {
    const found = (await reloader.history(MOST)).find((each) => each.number === number);
    if (found !== undefined) return found;
    throw refuse("not_found", `There is no generation ${number} in the history.`);
  };

  app.get<{ Params: { number: number } }>(
    "/v1/generations/:number",
    {
      schema: {
        operationId: "generation",
        summary: "One attempt, with its plan.",
        params: {
          type: "object",
          properties: { number: { type: "integer", minimum: 1 } },
          required: ["number"],
        },
        response: answers({ 200: "GenerationDetail", 404: "Problem" }),
      },
    },
    async ({ params: { number } }) => {
      const found = await find(number);
      return generationDetail(found, await sourcesFor(reloader, found));
    },
  );

  app.post(
    "/v1/plan",
    {
      schema: {
        operationId: "plan",
        summary: "What a reload would change. Has no effect.",
        response: answers({ 200: "PlanResult", 409: "ConfigurationProblem" }),
      },
    },
    async (_request, reply) => {
      const { plan, ...found } = await reloader.plan();
      if (plan === undefined) return reply.code(409).type(PROBLEM_TYPE).send(rejected(found));
      const result: PlanResult = { plan, ...findings(found.diagnostics, found.sources) };
      return result;
    },
  );

  app.post(
    "/v1/reload",
    {
      schema: {
        operationId: "reload",
        summary: "Reads the configuration and makes it run.",
        response: answers({ 200: "ReloadResult", 409: "ConfigurationProblem" }),
      },
    },
    async (_request, reply) => answer(reply, await reloader.reload("request")),
  );

  app.post<{ Body: RollbackRequest }>(
    "/v1/rollback",
    {
      schema: {
        operationId: "rollback",
        summary: "Makes an earlier generation's configuration run again, until the next edit.",
        body: ref("RollbackRequest"),
        response: answers({ 200: "ReloadResult", 404: "Problem", 409: "ConfigurationProblem" }),
      },
    },
    async ({ body: { generation } }, reply) => {
      await find(generation);
      return answer(reply, await reloader.rollback(generation));
    },
  );
}

function answer(reply: FastifyReply, outcome: ReloadOutcome): FastifyReply {
  const { generation, sources } = outcome;
  const { diagnostics } = generation;
  if (!isActive(outcome)) {
    return reply.code(409).type(PROBLEM_TYPE).send(rejected({ diagnostics, sources }, generation));
  }
  return reply.send({
    generation: generationDetail(generation, sources),
    ...findings(diagnostics, sources),
  });
}
