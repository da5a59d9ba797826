/** One Fastify application for one server of a plugin: built beside what runs, never listening by itself. */
import { createServer, type IncomingMessage, METHODS } from "node:http";
import fastify, { type FastifyError, type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { withFirstSchema } from "../http/compilers.js";
import type { RequestHandler } from "../http/contract.js";
import { PROBLEM_TYPE, problem, sendProblem } from "../http/problem.js";
import type { Log } from "../plugin-api/context.js";
import type { RawHandler, Routes } from "../plugin-api/http.js";
import { faultMessage } from "../plugin-fault.js";

export interface AppOptions {
  /** The routes are relative to it; requests keep their whole URL. */
  readonly prefix: string;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly log: Log;
  /** Sees requests before anything else does. */
  readonly prepare?: (request: IncomingMessage) => void;
}

export interface App {
  readonly handler: RequestHandler;
  /** For requests that arrive over a port instead of a socket. */
  readonly inject: ReturnType<typeof fastify>["inject"];
  close(): Promise<void>;
}

/** Rejects with what the plugin's routes or its Fastify plugins throw. */
export async function buildApp(options: AppOptions, routes: Routes | RawHandler): Promise<App> {
  const { prefix, bodyLimit, log, prepare } = options;
  const app = fastify({
    bodyLimit,
    logger: false,
    return503OnClosing: false,
    schemaController: withFirstSchema,
    serverFactory: (handler) => createServer(handler),
  });
  if (prepare) app.addHook("onRequest", async ({ raw }) => prepare(raw));
  app.setNotFoundHandler((request, reply) => {
    const detail = `There is no ${request.method} ${request.url.split("?")[0]} here.`;
    return reply.code(404).type(PROBLEM_TYPE).send(problem("not_found", detail));
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code === "store_away") {
      // The daemon has logged it once; not again for each request.
      const { help } = error as { help?: string };
      return reply
        .code(503)
        .header("retry-after", "1")
        .type(PROBLEM_TYPE)
        .send(problem("not_ready", error.message, help));
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) {
      log.error(`A request failed: ${faultMessage(error)}`, {
        method: request.method,
        route: request.routeOptions.url,
      });
      const answer = problem("internal", "The request could not be processed.");
      return reply
        .code(status)
        .type(PROBLEM_TYPE)
        .send({ ...answer, status });
    }
    const code = status === 413 ? "payload_too_large" : "invalid_request";
    const answer = { ...problem(code, error.message), status };
    return reply.code(status).type(PROBLEM_TYPE).send(answer);
  });
  const scoped: FastifyPluginAsync = async (child) => {
    if (typeof routes === "function") await routes(child);
    else routeAll(child, guardRawHandler(routes, log));
  };
  await app.register(scoped, { prefix: prefix === "/" ? "" : prefix });
  await app.ready();
  return {
    handler: (request, response) => app.routing(request, response),
    inject: app.inject.bind(app) as App["inject"],
    close: () => app.close() as unknown as Promise<void>,
  };
}

/** Logs what the handler throws and answers with 500. */
export function guardRawHandler(handler: RawHandler, log: Log): RequestHandler {
  return (request, response) => {
    try {
      handler.handle(request, response);
    } catch (thrown) {
      const { method, url } = request;
      log.error(`A request failed: ${faultMessage(thrown)}`, { method, url });
      sendProblem(response, problem("internal", "The request could not be processed."));
    }
  };
}

/** Passes every request on before Fastify reads its body. Only requests that are injected come this way. */
function routeAll(app: FastifyInstance, handler: RequestHandler): void {
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.addHook("onRequest", (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw);
  });
  const unreached = (): void => undefined;
  app.all("/", unreached);
  app.all("/*", unreached);
}
