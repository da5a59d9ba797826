/** Reads the caller, the query and the id of a request. */
import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../hosts/contract.js";
import type { Ports } from "../pipeline/ports.js";
import { ApiError } from "./errors.js";

/** The used part of Fastify's request. */
export interface ApiRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  readonly params: unknown;
  readonly body: unknown;
}

/** The token in `Authorization`: scheme `Personal` (as in the reference) or `Bearer`, or the password of `Basic`. */
export function tokenOf(header: string | undefined): string | undefined {
  const [, scheme = "", rest = ""] = /^(\S+)\s+(\S+)\s*$/.exec(header ?? "") ?? [];
  switch (scheme.toLowerCase()) {
    case "personal":
    case "bearer":
    case "token":
      return rest;
    case "basic":
      return (
        Buffer.from(rest, "base64").toString("utf8").split(":").slice(1).join(":") || undefined
      );
    default:
      return undefined;
  }
}

/** @throws ApiError 401 */
export async function callerOf(
  ports: Pick<Ports, "access" | "host">,
  request: ApiRequest,
): Promise<Caller> {
  const token = tokenOf(request.headers.authorization);
  const caller = token === undefined ? undefined : await ports.access.caller(ports.host, token);
  if (caller) return caller;
  throw new ApiError(
    401,
    token === undefined
      ? "Send the header Authorization: Personal <token>."
      : "The token is not accepted by the code host.",
    { code: "unauthorized", headers: { "www-authenticate": 'Personal realm="updates"' } },
  );
}

/** A query parameter; the last one if it is repeated. */
export function parameter(request: ApiRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

/** @throws ApiError 400 */
export function wholeParameter(request: ApiRequest, name: string, least = 1): number | undefined {
  const value = parameter(request, name);
  if (value === undefined || value === "") return undefined;
  if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
  throw invalidParameter(name, `${name} must be a whole number from ${least} on.`);
}

/** Absent means no; without a value means yes. @throws ApiError 400 */
export function flagParameter(request: ApiRequest, name: string): boolean {
  const value = parameter(request, name);
  if (value === undefined || value === "false") return false;
  if (value === "true" || value === "") return true;
  throw invalidParameter(name, `The parameter ${name} must be true or false.`);
}

export const invalidParameter = (name: string, detail: string): ApiError =>
  new ApiError(400, detail, { code: "invalid_parameter", source: { parameter: name } });

/** The `:id` of the path; -1 if it is no number. */
export function idOf(request: ApiRequest): number {
  const { id = "" } = request.params as { id?: string };
  return /^\d{1,15}$/.test(id) ? Number(id) : -1;
}
