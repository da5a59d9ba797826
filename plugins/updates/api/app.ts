/** The HTTP application of one server: the API, and beside it the repositories of the embedded host. */
import type { Routes } from "reeve/plugin";
import { errorMessage, isStoreAway, UpdatesError } from "../errors.js";
import type { Ports } from "../pipeline/ports.js";
import { parseBody } from "./body.js";
import { ApiError, type ErrorObject, errorObject } from "./errors.js";
import { extraRoutes } from "./extras.js";
import { gitRoutes } from "./git.js";
import { hostEventRoutes } from "./host-events.js";
import { resourceRoutes } from "./routes.js";

/** Bytes of a body. */
export const bodyLimit = 64 * 1024;

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS, HEAD",
  "access-control-allow-headers": "authorization, content-type, prefer",
  "access-control-expose-headers": "location, retry-after, x-request-id",
  "access-control-max-age": "7200",
};

export function apiRoutes(ports: Ports): Routes {
  return async (app) => {
    app.removeAllContentTypeParsers();
    const json = /^application\/(vnd\.api\+)?json\s*(;|$)/i;
    app.addContentTypeParser(json, { parseAs: "string" }, (_request, body, done) => {
      try {
        done(null, parseBody(body as string));
      } catch (thrown) {
        done(thrown as Error);
      }
    });

    const began = new WeakMap<object, number>();
    app.addHook("onRequest", async (request, reply) => {
      began.set(request, performance.now());
      reply.headers({ ...cors, "x-request-id": request.id, "x-content-type-options": "nosniff" });
    });
    app.addHook("onSend", async (request, reply) => {
      const now = performance.now();
      reply.header("x-runtime", ((now - (began.get(request) ?? now)) / 1000).toFixed(6));
    });
    const known: KnownRoute[] = [];
    app.addHook("onRoute", ({ method, url }) => {
      for (const each of [method].flat()) known.push({ method: each, pattern: patternOf(url) });
    });
    app.setErrorHandler((thrown, _request, reply) => {
      const { status, errors, headers } = refusalOf(ports, thrown);
      reply.code(status).headers(headers);
      return send(reply, errors);
    });
    await app.register(async (api) => {
      // The response promises durability.
      api.addHook("onSend", async ({ method }) => {
        if (!["GET", "HEAD", "OPTIONS"].includes(method)) await ports.flushed();
      });
      resourceRoutes(api, ports);
      extraRoutes(api, ports);
    });
    await app.register(async (git) => gitRoutes(git, ports), { prefix: "/git" });
    await app.register(async (events) => hostEventRoutes(events, ports), {
      prefix: "/host_events",
    });
    // Unknown addresses and methods are reported before anything else is checked.
    const methods = [...known];
    app.all("/*", async (request, reply) => {
      if (request.method === "OPTIONS") return reply.code(204).send();
      throw unknownRoute(methods, request.url);
    });
  };
}

function unknownRoute(known: readonly KnownRoute[], url: string): ApiError {
  const [path = "/"] = url.split("?");
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  const allowed = [...new Set(methods)];
  if (allowed.length === 0) {
    return new ApiError(404, "There is nothing at this address.", { code: "not_found" });
  }
  return new ApiError(405, `This address answers ${allowed.join(", ")}.`, {
    code: "method_not_allowed",
    headers: { allow: [...allowed, "OPTIONS"].join(", ") },
  });
}

interface KnownRoute {
  readonly method: string;
  readonly pattern: RegExp;
}

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split("/")
      .map((part) =>
        part.startsWith(":")
          ? "[^/]+"
          : part === "*"
            ? "\\0"
            : part.replace(/[.+?^$()|[\]{}\\]/g, "\\$&"),
      )
      .join("/")}/?$`,
  );

interface HeaderReply {
  header(name: string, value: string): unknown;
  send(body: string): unknown;
}

function send(reply: HeaderReply, errors: readonly ErrorObject[]): unknown {
  reply.header("content-type", "application/json; charset=utf-8");
  return reply.send(JSON.stringify({ errors }));
}

function refusalOf(
  ports: Pick<Ports, "log">,
  thrown: unknown,
): Pick<ApiError, "status" | "errors" | "headers"> {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof UpdatesError) return apiErrorOf(ports, thrown);
  if (isStoreAway(thrown)) {
    // The daemon itself logs that once.
    return new ApiError(503, errorMessage(thrown), {
      code: "store_away",
      headers: { "retry-after": "10" },
    });
  }
  const { statusCode } = thrown as { statusCode?: number };
  switch (statusCode) {
    case 413:
      return new ApiError(413, "The body is longer than this address accepts.", {
        code: "too_large",
      });
    case 415:
      return new ApiError(415, "Send JSON, with the header Content-Type: application/json.", {
        code: "unsupported_media_type",
      });
    case 400:
    case 408:
      return new ApiError(statusCode, "The request is incomplete or malformed.", {
        code: "bad_request",
      });
    default:
      ports.log.error("Cannot handle a request", { error: thrown });
      return { status: 500, errors: [errorObject(500)], headers: {} };
  }
}

function apiErrorOf(
  { log }: Pick<Ports, "log">,
  { code, message, retryAfter }: UpdatesError,
): ApiError {
  const seconds = String(Math.ceil((retryAfter ?? 10_000) / 1000));
  if (code === "host_limited") {
    return new ApiError(429, message, { code, headers: { "retry-after": seconds } });
  }
  if (code === "name_taken" || code === "name_unfit") return new ApiError(400, message, { code });
  log.warn("Cannot answer a request", { code, reason: message });
  return new ApiError(503, message, { code, headers: { "retry-after": seconds } });
}
