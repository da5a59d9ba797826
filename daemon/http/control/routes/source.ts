import type { FastifyInstance } from "fastify";
import type { SourceActions } from "../../../source/contract.js";
import type { SourceRequest, SourceStatus } from "../api.js";
import { refuse } from "../errors.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";
import { ref } from "../schemas/make.js";

export function sourceRoutes(app: FastifyInstance, { subjects }: RouteContext): void {
  const followed = (): SourceActions => {
    if (subjects.source) return subjects.source;
    const help = "`reeve up git+URL#BRANCH` follows one.";
    throw refuse("not_found", "The daemon follows no git repository.", help);
  };
  app.get(
    "/v1/source",
    {
      schema: {
        operationId: "source",
        summary: "The repository that the configuration comes from.",
        response: answers({ 200: "SourceStatus", 404: "Problem" }),
      },
    },
    (): SourceStatus => followed().status(),
  );
  app.post<{ Body: SourceRequest }>(
    "/v1/source",
    {
      schema: {
        operationId: "actOnSource",
        summary: "Polls, retries, pauses or resumes the source, or accepts a rewritten branch.",
        body: ref("SourceRequest"),
        response: answers({
          ...{ 200: "SourceStatus", 400: "Problem" },
          ...{ 404: "Problem", 409: "Problem" },
        }),
      },
    },
    async ({ body }): Promise<SourceStatus> => {
      const source = followed();
      const { action, duration, commit } = body;
      if (action === "pause") await source.pause(duration ?? missing("duration"));
      else if (action === "accept") await source.accept(commit ?? missing("commit"));
      else await source[action]();
      return source.status();
    },
  );
}

function missing(name: string): never {
  throw refuse("invalid_request", `The action needs \`${name}\`.`);
}
