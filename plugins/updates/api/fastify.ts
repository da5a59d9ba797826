/** The parts of Fastify's types that the routes use. */
import type { IncomingHttpHeaders } from "node:http";
import type { Routes } from "reeve/plugin";

export type FastifyInstance = Parameters<Routes>[0];

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  readonly body: unknown;
}

export interface ApiReply {
  code(status: number): ApiReply;
  headers(values: Readonly<Record<string, string>>): unknown;
  send(body: unknown): unknown;
}
