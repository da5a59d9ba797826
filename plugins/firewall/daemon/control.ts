/** The plugin's part of the control API: sandboxes, their logs, and commands that run in them. */
import { createReadStream, existsSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Routes } from "reeve/plugin";
import { FirewallError } from "../errors.js";
import { followLines } from "../log/follow.js";
import { readPieces } from "../log/lines.js";
import { jsonStatistics } from "../log/render.js";
import { countLog } from "../log/statistics.js";
import { accessLogName, jsonLogName } from "../log/writer.js";
import { explainVerdicts } from "../policy/explain.js";
import { type RunOrder, summarizeSandbox } from "./api.js";
import { AttachedRuns } from "./attached-runs.js";
import type { FirewallInstance } from "./instance.js";
import type { SandboxRuntime } from "./sandbox-runtime.js";

interface Named {
  Params: { name: string };
}

export const controlRoutes =
  (instance: FirewallInstance): Routes =>
  (app) => {
    const attachedRuns = new AttachedRuns(instance);
    const at = (name: string): SandboxRuntime => instance.sandbox(name);

    app.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof FirewallError)) throw error;
      const problem = problemFor(error);
      return reply.code(problem.status).type("application/problem+json").send(problem);
    });
    app.get("/sandboxes", () => ({ sandboxes: instance.sandboxes.map(summarizeSandbox) }));
    app.get("/questions", () => ({ questions: instance.board.open }));
    app.post<{ Params: { id: string }; Body: { answer?: unknown } }>(
      "/questions/:id",
      ({ params, body }) => {
        instance.board.answer(params.id, body.answer);
        return {};
      },
    );
    app.get<Named>("/sandboxes/:name", ({ params }) => summarizeSandbox(at(params.name)));
    app.get<Named & { Querystring: { subject?: string } }>(
      "/sandboxes/:name/explain",
      ({ params, query: { subject = "" } }) => ({
        subject,
        decisions: explainVerdicts(at(params.name).definition.spec.policy, subject),
      }),
    );
    app.get<Named>("/sandboxes/:name/stats", ({ params }, reply) =>
      reply.type("application/json").send(statistics(at(params.name))),
    );
    app.get<Named & { Querystring: { follow?: string } }>(
      "/sandboxes/:name/log",
      async ({ params, query }, reply) => {
        const sandbox = at(params.name);
        sandbox.flush();
        await sendLog(sandbox, query.follow !== undefined, reply.hijack().raw);
      },
    );
    app.post<Named & { Body: RunOrder }>("/sandboxes/:name/runs", ({ params, body }, reply) =>
      attachedRuns.run(at(params.name), body, () => reply.hijack().raw),
    );
    app.post<{ Params: { id: string }; Body: { data?: string; end?: boolean } }>(
      "/runs/:id/stdin",
      async ({ params, body }) => {
        await attachedRuns.write(
          params.id,
          Buffer.from(body.data ?? "", "base64"),
          body.end === true,
        );
        return {};
      },
    );
    app.post<{ Params: { id: string }; Body: { signal: string } }>(
      "/runs/:id/signal",
      async ({ params, body }) => {
        attachedRuns.signal(params.id, body.signal);
        return {};
      },
    );
  };

function statistics(sandbox: SandboxRuntime): string {
  sandbox.flush();
  const file = join(sandbox.logDirectory, accessLogName);
  const pieces = [`${file}.1`, file].filter((path) => existsSync(path)).map(readPieces);
  return jsonStatistics(countLog(joined(pieces)));
}

function* joined<T>(parts: ReadonlyArray<Iterable<T>>): Generator<T> {
  for (const part of parts) yield* part;
}

const statuses: Readonly<Record<string, number>> = {
  unknown_sandbox: 404,
  unknown_run: 404,
  unknown_question: 404,
  stopping: 503,
};

function problemFor({ code, message }: FirewallError) {
  const status = statuses[code] ?? 422;
  return {
    type: `urn:reeve:firewall.${code}`,
    title: status === 404 ? "Not found" : "Refused",
    status,
    code: `firewall.${code}`,
    detail: message.split("\n")[0],
  };
}

/**
 * Sends JSON Lines, oldest first. With `follow` it sends the last lines and then each new one until the reader leaves.
 */
async function sendLog(
  sandbox: SandboxRuntime,
  follow: boolean,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  const file = join(sandbox.logDirectory, jsonLogName);
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  try {
    if (follow) await pipeline(Readable.from(lines(sandbox, file, closed.signal)), response);
    else await pipeline(Readable.from(whole([`${file}.1`, file])), response);
  } catch {
    response.destroy();
  }
}

async function* whole(files: readonly string[]): AsyncGenerator<Buffer> {
  for (const file of files) if (existsSync(file)) yield* createReadStream(file);
}

async function* lines(
  sandbox: SandboxRuntime,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  sandbox.openLog();
  for await (const line of followLines(file, signal)) yield `${line}\n`;
}
