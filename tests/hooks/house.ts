/** The hooks plugin alive on real sockets with real commands, and a configuration that can be edited. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import fastify, { type FastifyInstance } from "fastify";
import type {
  Configuration,
  HttpServer,
  NewRun,
  Panel,
  PluginContext,
  ProcessRequest,
  ProcessResult,
  RunResult,
} from "reeve/plugin";
import type { blocks } from "../../plugins/hooks/blocks/blocks.js";
import plugin from "../../plugins/hooks/plugin.js";
import { configurationOf } from "./hook-of.js";

interface KeptRun extends NewRun {
  readonly id: string;
  readonly states: string[];
  result?: RunResult;
  output: string;
}

export interface House {
  /** Where the hooks of the only server are. */
  readonly url: string;
  readonly events: ReadonlyArray<{ readonly type: string; readonly [name: string]: unknown }>;
  readonly runs: readonly KeptRun[];
  /** The directory of the configuration. */
  readonly directory: string;
  post(path: string, body?: string, headers?: Record<string, string>): Promise<Response>;
  edit(text: string): Promise<readonly string[]>;
  /** Resolves when an event of the type has come that was not asked for before. */
  next(type: string): Promise<Readonly<Record<string, unknown>>>;
  stop(grace?: number): Promise<void>;
  health(): unknown;
  panels(): readonly Panel[];
}

export async function house(t: ExecutionContext, text: string): Promise<House> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-hooks-"));
  const events: Array<{ type: string }> = [];
  const listeners = new Set<() => void>();
  const runs: KeptRun[] = [];
  const servers: string[] = [];
  const apps: FastifyInstance[] = [];
  const ending = new AbortController();
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
  const context = {
    id: "hooks",
    log,
    events: {
      emit: (type: string, data = {}) => {
        events.push({ type, ...data });
        for (const listener of [...listeners]) listener();
      },
    },
    metrics: {
      counter: () => ({ add: silent }),
      gauge: () => ({ set: silent, remove: silent }),
      histogram: () => ({ observe: silent }),
    },
    clock: { now: Date.now },
    runs: {
      start: async (run: NewRun) => {
        const kept: KeptRun = {
          ...run,
          id: String(runs.length + 1),
          states: [run.state ?? "running"],
          output: "",
        };
        runs.push(kept);
        return {
          id: kept.id,
          running: async () => void kept.states.push("running"),
          output: (_stream: string, data: Uint8Array | string) => {
            kept.output += data;
          },
          detail: async () => undefined,
          finish: async (result: RunResult) => {
            kept.states.push(result.state);
            kept.result = result;
          },
        };
      },
    },
    processes: { run: (request: ProcessRequest) => run(request, directory) },
    http: {
      async serve(
        options: { bodyLimit?: number; listen: string; prefix?: string },
        routes: (app: FastifyInstance) => void,
      ): Promise<HttpServer> {
        const app = fastify({
          ...(options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit }),
        });
        apps.push(app);
        app.setNotFoundHandler((_request, reply) => reply.code(404).send("not here"));
        const prefix = options.prefix === "/" ? "" : (options.prefix ?? "");
        app.register(
          (child, _options, done) => {
            routes(child as never);
            done();
          },
          { prefix },
        );
        const [host, port] = options.listen.split(":");
        const address = await app.listen({ host: host ?? "", port: Number(port) });
        const url = `${address}${options.prefix === "/" ? "" : options.prefix}`;
        servers.push(url);
        return { address, url, close: () => app.close() };
      },
      control: async () => undefined,
    },
    signal: ending.signal,
  } as unknown as PluginContext;

  const instance = await plugin.setup(context);
  let current: Configuration<typeof blocks> | undefined;
  const edit = async (next: string): Promise<readonly string[]> => {
    const configuration = await configurationOf(next, (current?.generation ?? 0) + 1);
    const reports: string[] = [];
    let refused = false;
    const prepared = await instance.prepare(configuration, current, {
      changes: new Map(),
      signal: ending.signal,
      report: (_range, message, options) => {
        refused ||= (options?.severity ?? "error") === "error";
        reports.push(message);
      },
    });
    if (refused) await prepared.abort?.();
    else {
      prepared.commit();
      current = configuration;
    }
    return reports;
  };
  let stopped: Promise<void> | undefined;
  const stop = (grace = 0): Promise<void> =>
    (stopped ??= (async () => {
      await instance.stop?.("shutdown", AbortSignal.timeout(grace));
      await Promise.all(apps.map((app) => app.close()));
      await rm(directory, { recursive: true, force: true });
    })());
  t.teardown(() => stop());
  await edit(text);

  const seen = new Map<string, number>();
  return {
    get url() {
      return servers.at(-1) ?? "";
    },
    events,
    runs,
    directory,
    post(path, body = "", headers = {}) {
      return fetch(`${servers.at(-1)}/${path}`, { method: "POST", body, headers });
    },
    edit,
    async next(type) {
      for (;;) {
        const past = seen.get(type) ?? 0;
        const found = events.filter((event) => event.type === type)[past];
        if (found) {
          seen.set(type, past + 1);
          return found as unknown as Record<string, unknown>;
        }
        await new Promise<void>((resolve) => {
          const listener = () => {
            listeners.delete(listener);
            resolve();
          };
          listeners.add(listener);
        });
      }
    },
    stop,
    health: () => instance.health?.(),
    panels: () => instance.panels?.() as readonly Panel[],
  };
}

function run(request: ProcessRequest, directory: string): Promise<ProcessResult> {
  const [program = "", ...rest] = request.argv;
  const started = Date.now();
  const env = Object.fromEntries(
    Object.entries(request.env ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.reveal(),
    ]),
  );
  const child = spawn(program, rest, {
    cwd: request.cwd ?? directory,
    env: { ...(request.inheritEnv === false ? {} : process.env), ...env },
    detached: true,
  });
  const chunks: Uint8Array[] = [];
  let why: ProcessResult["outcome"] | undefined;
  const end = (outcome: ProcessResult["outcome"]) => {
    why ??= outcome;
    try {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    } catch {}
  };
  const timer = setTimeout(() => end("timed_out"), request.timeout ?? 1e9);
  request.signal?.addEventListener("abort", () => end("cancelled"));
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (data: Uint8Array) => {
      chunks.push(data);
      request.onOutput?.(stream, data);
    });
  }
  const input = request.stdin ?? "";
  child.stdin.on("error", () => undefined);
  child.stdin.end(typeof input === "object" && "reveal" in input ? input.reveal() : input);
  return new Promise((resolve) => {
    const finish = (part: Partial<ProcessResult>) => {
      clearTimeout(timer);
      resolve({
        outcome: why ?? "exited",
        exitCode: undefined,
        signal: undefined,
        error: undefined,
        stdout: Buffer.concat(chunks),
        stderr: new Uint8Array(),
        omitted: 0,
        duration: Date.now() - started,
        ...part,
      });
    };
    child.on("error", (error) => finish({ outcome: "not_started", error: error.message }));
    child.on("close", (code, signal) =>
      finish({
        exitCode: code ?? undefined,
        signal: signal ?? undefined,
        ...(signal && !why ? { outcome: "killed" as const } : {}),
      }),
    );
  });
}
