/** The control API as an application: routes, errors and its own description. */
import { randomUUID } from "node:crypto";
import fastify, { type FastifyInstance, type FastifyServerFactory } from "fastify";
import { withFirstRequest } from "../compilers.js";
import type { RequestHandler } from "../contract.js";
import { deferUntilReady } from "./defer-until-ready.js";
import { answerErrors } from "./errors.js";
import type { RouteMounts } from "./mounts.js";
import type { RouteContext } from "./route-context.js";
import { backupRoutes } from "./routes/backup.js";
import { configurationRoutes } from "./routes/configuration.js";
import { eventRoutes } from "./routes/events.js";
import { healthRoutes } from "./routes/health.js";
import { logRoutes } from "./routes/logs.js";
import { pluginRoutes } from "./routes/plugins.js";
import { runRoutes } from "./routes/runs.js";
import { sourceRoutes } from "./routes/source.js";
import { statusRoutes } from "./routes/status.js";
import { addSchemas } from "./schemas/all.js";
import { type ControlDependencies, StatusReader } from "./status.js";

/** Bytes of a request's body; ours are small. */
const BODY_LIMIT = 64 * 1024;

/** @returns the application, ready and not listening. `serverFactory` says on what it will be. */
export async function createControlApp(
  subjects: ControlDependencies,
  serverFactory: FastifyServerFactory,
): Promise<FastifyInstance> {
  const app = fastify({
    serverFactory,
    logger: false,
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
    schemaController: withFirstRequest,
  });
  const context: RouteContext = {
    subjects,
    reader: new StatusReader(subjects),
    boot: randomUUID(),
  };
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, parseJson);
  answerErrors(app, subjects.kit.log, subjects.draining);
  addRoutes(app, context);
  let description: Promise<unknown> | undefined;
  app.get("/v1/openapi.json", () => {
    description ??= describe(context);
    return description;
  });
  app.addHook("onClose", () => context.reader.stop());
  await app.ready();
  return app;
}

function addRoutes(app: FastifyInstance, context: RouteContext): void {
  addSchemas(app);
  for (const routes of [
    statusRoutes,
    pluginRoutes,
    backupRoutes,
    sourceRoutes,
    configurationRoutes,
    runRoutes,
    logRoutes,
    eventRoutes,
    healthRoutes,
  ]) {
    app.register((scope, _options, done) => {
      routes(scope, context);
      done();
    });
  }
}

/** Rarely requested, and its generator is large: a second application, which serves no requests, builds it. */
async function describe(context: RouteContext): Promise<unknown> {
  const { describeRoutes } = await import("./openapi.js");
  const app = fastify({ logger: false, schemaController: withFirstRequest });
  await describeRoutes(app, context.subjects.identity.version);
  addRoutes(app, context);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

/** A request without a body may say that it is JSON all the same. */
function parseJson(
  _request: unknown,
  body: string | Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  if (body.length === 0) {
    done(null, undefined);
    return;
  }
  try {
    done(null, JSON.parse(String(body)));
  } catch {
    done(Object.assign(new Error("The body is not valid JSON."), { statusCode: 400 }));
  }
}

/** The mounted parts of plugins come first: they bring applications of their own. */
export function withMounts(
  mounts: RouteMounts,
  { kit: { clock }, reloader }: Pick<ControlDependencies, "kit" | "reloader">,
  createServer: FastifyServerFactory,
): FastifyServerFactory {
  return (handler, options) => {
    const answer: RequestHandler = (request, response) => {
      const mounted = mounts.match(request.url ?? "");
      if (mounted === undefined) handler(request, response);
      else mounted(request, response);
    };
    return createServer((request, response) => {
      const early = reloader.current === undefined && mounts.concerns(request.url ?? "");
      if (early) void deferUntilReady({ reloader, clock }, request, response, answer);
      else answer(request, response);
    }, options);
  };
}
