/** Whatever goes wrong in a route becomes a problem. */
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { errorMessage, ReeveError } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import { PROBLEM_TYPE, type ProblemCode, problem } from "../problem.js";
import type { Problem } from "./api.js";

/** Thrown by a route that has an answer to give instead. */
export class ProblemError extends Error {
  override readonly name = "Refusal";

  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export const refuse = (code: ProblemCode, detail: string, help?: string): ProblemError =>
  new ProblemError(problem(code, detail, help));

/** `draining`: whether the daemon stops, when plugins take back their routes. */
export function answerErrors(app: FastifyInstance, log: Log, draining: () => boolean): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = problemOf(error);
    if (answer.status >= 500) {
      log.error("A request to the control API failed", {
        method: request.method,
        path: request.url,
        reason: errorMessage(error),
        stack: error.stack,
      });
    }
    return send(reply, answer);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    if (draining()) return send(reply, problem("stopping", "The daemon is stopping."));
    const others = ["GET", "POST"].filter((method) => app.hasRoute({ method, url: path }));
    return send(
      reply,
      others.length > 0
        ? problem("method_not_allowed", `\`${path}\` takes ${others.join(" and ")} only.`)
        : problem("not_found", `There is no \`${path}\` in the control API.`),
    );
  });
}

function send(reply: FastifyReply, answer: Problem): FastifyReply {
  return reply.code(answer.status).type(PROBLEM_TYPE).send(answer);
}

function problemOf(error: FastifyError): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof ReeveError) {
    const { code, message, help } = error;
    return { ...problem("conflict", message, help), type: `urn:reeve:${code}`, code };
  }
  if (error.validation) return problem("invalid_request", `${capital(error.message)}.`);
  if (error.statusCode === 413) return problem("payload_too_large", "The body is too large.");
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return problem("invalid_request", `${capital(error.message).replace(/\.$/, "")}.`);
  }
  return problem("internal", "The daemon could not answer; its log says why.");
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
