/** A daemon that only talks: every route of the control API on a real socket, with the answers a test gives it. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type {
  EventLine,
  GenerationDetail,
  GenerationList,
  LogList,
  PanelList,
  PlanResult,
  PluginList,
  PluginStatus,
  Problem,
  Readiness,
  ReloadResult,
  RunList,
  RunRecord,
  Status,
} from "../../daemon/http/control/api.js";

interface ReceivedRequest {
  /** With its method and query: `GET /v1/runs?limit=3`. */
  readonly request: string;
  readonly url: URL;
  readonly body: unknown;
}

type Responder<Body> = (request: ReceivedRequest) => Body | Problem | Promise<Body | Problem>;

/** `:id` stands for one segment. */
export interface Answers {
  readonly "GET /v1/status"?: Responder<Status>;
  readonly "GET /v1/plugins"?: Responder<PluginList>;
  readonly "POST /v1/plugins/:id/restart"?: Responder<PluginStatus>;
  readonly "POST /v1/plugins/:id/release"?: Responder<PluginStatus>;
  readonly "GET /v1/generations"?: Responder<GenerationList>;
  readonly "GET /v1/generations/:id"?: Responder<GenerationDetail>;
  readonly "GET /v1/runs"?: Responder<RunList>;
  readonly "GET /v1/runs/:id"?: Responder<RunRecord>;
  readonly "GET /v1/panels"?: Responder<PanelList>;
  readonly "GET /v1/logs"?: Responder<LogList>;
  readonly "POST /v1/plan"?: Responder<PlanResult>;
  readonly "POST /v1/reload"?: Responder<ReloadResult>;
  readonly "POST /v1/rollback"?: Responder<ReloadResult>;
  /** For what plugins bring themselves. */
  readonly "GET /v1/hooks"?: Responder<object>;
  readonly "GET /v1/settings"?: Responder<object>;
  readonly "GET /v1/updates/repos"?: Responder<object>;
  readonly "GET /v1/updates/configs"?: Responder<object>;
  readonly "GET /v1/updates/runs"?: Responder<object>;
  readonly "GET /v1/updates/pulls"?: Responder<object>;
  readonly "GET /v1/settings/:id/versions"?: Responder<object>;
  readonly "POST /v1/firewall/questions/:id"?: Responder<object>;
  readonly "POST /v1/hooks/replay"?: Responder<object>;
  readonly "POST /v1/hooks/cancel"?: Responder<object>;
  readonly "POST /v1/weather/measure"?: Responder<object>;
  readonly "GET /readyz"?: Responder<Readiness>;
  /** One connection's lines; it is ended when they end, and torn down when they throw. */
  readonly "GET /v1/events"?: (request: ReceivedRequest) => AsyncIterable<EventLine | string>;
}

export interface DaemonDouble {
  readonly socket: string;
  /** An own directory, beside the socket. */
  readonly directory: string;
  readonly requests: readonly ReceivedRequest[];
  /** Also ends connections that are open. */
  close(): Promise<void>;
}

/** Listens when it resolves. */
export async function daemonDouble(answers: Answers): Promise<DaemonDouble> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-double-"));
  const socket = join(directory, "control.sock");
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    answer(answers, requests, request, response).catch(() => response.destroy());
  });
  const listening = Promise.withResolvers<void>();
  server.listen(socket, listening.resolve);
  await listening.promise;
  return {
    socket,
    directory,
    requests,
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
      await rm(directory, { recursive: true });
    },
  };
}

async function answer(
  answers: Answers,
  requests: ReceivedRequest[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://reeve");
  const content = await text(request);
  const received: ReceivedRequest = {
    request: `${request.method} ${request.url}`,
    url,
    body: content === "" ? undefined : JSON.parse(content),
  };
  requests.push(received);
  const route = `${request.method} ${url.pathname}`;
  if (route === "GET /v1/events" && answers[route]) {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.flushHeaders();
    for await (const line of answers[route](received)) {
      if (response.destroyed) return;
      response.write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
    }
    response.end();
    return;
  }
  const [, handler] = Object.entries(answers).find(([pattern]) => matches(pattern, route)) ?? [];
  const body = handler ? await (handler as Responder<unknown>)(received) : notFound(route);
  const problem = isProblem(body);
  const status = problem ? body.status : 200;
  response.writeHead(status, {
    "content-type": problem ? "application/problem+json" : "application/json",
  });
  response.end(JSON.stringify(body));
}

function matches(pattern: string, route: string): boolean {
  const wanted = pattern.split("/");
  const given = route.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === ":id" || part === given[index])
  );
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "status" in body && "title" in body;
}

function notFound(route: string): Problem {
  return {
    type: "urn:reeve:not_found",
    title: "Not found",
    status: 404,
    code: "not_found",
    detail: `There is no ${route}.`,
  };
}
