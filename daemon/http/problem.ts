/** RFC 9457 problems for handlers without a framework. */
import type { ServerResponse } from "node:http";
import type { Problem } from "./control/api.js";

/** Every problem that the host itself answers with, its title and status. */
const PROBLEMS = {
  invalid_request: [400, "The request is not understood"],
  forbidden: [403, "Not allowed from here"],
  not_found: [404, "Nothing is here"],
  method_not_allowed: [405, "The method is not possible here"],
  request_timeout: [408, "The request took too long to arrive"],
  configuration_rejected: [409, "The configuration was not taken over"],
  conflict: [409, "The state of things does not allow it"],
  payload_too_large: [413, "The request is too large"],
  too_many_requests: [429, "Too many requests of this address are in progress"],
  headers_too_large: [431, "The request's headers are too large"],
  internal: [500, "Something unexpected happened"],
  not_ready: [503, "Not ready yet"],
  stopping: [503, "Not any more"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** `detail` is one sentence about this time. */
export function problem(code: ProblemCode, detail: string, help?: string): Problem {
  const [status, title] = PROBLEMS[code];
  return {
    type: `urn:reeve:${code}`,
    title,
    status,
    detail,
    code,
    ...(help !== undefined && { help }),
  };
}

export const PROBLEM_TYPE = "application/problem+json";

/** Sends a problem, or closes the connection where the response has started. */
export function sendProblem(response: ServerResponse, answer: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(answer);
  response.writeHead(answer.status, {
    "content-type": PROBLEM_TYPE,
    "content-length": Buffer.byteLength(body),
    ...((answer.status === 503 || answer.status === 429) && { "retry-after": "1" }),
  });
  response.end(body);
}
