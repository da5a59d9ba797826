/** The hooks plugin alive on real sockets with real services, and a configuration that can be edited. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ExecutionContext } from "ava";
import fastify, { type FastifyInstance } from "fastify";
import type {
  Configuration,
  Fields,
  Health,
  Http,
  Panel,
  PluginContext,
  RunRecord,
} from "reeve/plugin";
import { openServices } from "../../daemon/services/services.js";
import type { blocks } from "../../plugins/hooks/blocks/blocks.js";
import plugin from "../../plugins/hooks/plugin.js";
import { configurationOf } from "./hook-of.js";

export interface House {
  /** Where the hooks of the server that was opened last are. */
  readonly url: string;
  /** The directory of the configuration. */
  readonly directory: string;
  post(path: string, body?: string, headers?: Record<string, string>): Promise<Response>;
  /** Gives what the plugin has to say about it. */
  edit(text: string): Promise<readonly string[]>;
  /** The data of the next event of the type that was not asked for before. */
  next(type: string): Promise<Fields>;
  /** Oldest first. */
  runs(): Promise<readonly RunRecord[]>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  health(): Promise<Health | undefined>;
  panels(): Promise<readonly Panel[]>;
  /** What runs is cut off after `grace` milliseconds. */
  stop(grace?: number): Promise<void>;
}

export async function house(t: ExecutionContext, text: string): Promise<House> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-hooks-"));
  const at = (name: string): string => join(directory, ".reeve", name);
  const kit = await openServices({
    directories: { state: at("state"), cache: at("cache"), temporary: at("temporary") },
    logLevel: "error",
    logFormat: "text",
    logStream: new PassThrough().resume(),
  });
  const gifts = await kit.forPlugin({
    plugin: plugin.id,
    generation: () => 1,
    configuration: directory,
    signal: new AbortController().signal,
  });
  const doors = new Doors();
  const context = { ...gifts.context, http: doors.http } as PluginContext;
  const instance = await plugin.setup(context);

  let current: Configuration<typeof blocks> | undefined;
  const edit = async (next: string): Promise<readonly string[]> => {
    const configuration = await configurationOf(next, (current?.generation ?? 0) + 1);
    const reports: string[] = [];
    let refused = false;
    const prepared = await instance.prepare(configuration, current, {
      changes: new Map(),
      signal: AbortSignal.timeout(10_000),
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
  const stop = (grace = 0): Promise<void> => {
    stopped ??= (async () => {
      await instance.stop?.("shutdown", AbortSignal.timeout(grace));
      await doors.close();
    })();
    return stopped;
  };
  t.teardown(async () => {
    await stop();
    await kit.close();
    await rm(directory, { recursive: true, force: true });
  });
  await edit(text);

  let asked = new Map<string, number>();
  return {
    get url() {
      return doors.latest;
    },
    directory,
    post: (path, body = "", headers = {}) =>
      fetch(`${doors.latest}/${path}`, { method: "POST", body, headers }),
    edit,
    async next(type) {
      const past = asked.get(type) ?? 0;
      asked = new Map([...asked, [type, past + 1]]);
      const found = () => (kit.events.since(0) ?? []).filter((event) => event.type === type)[past];
      for (;;) {
        const event = found();
        if (event) return event.data;
        await new Promise<void>((resolve) => {
          const leave = kit.events.subscribe(() => {
            leave();
            resolve();
          });
        });
      }
    },
    runs: async () => (await kit.runs.list()).toReversed(),
    metrics: () => kit.metrics.text(),
    health: async () => instance.health?.(),
    panels: async () => (await instance.panels?.()) ?? [],
    stop,
  };
}

/** As the host does it, without taking over: a port of its own for each server. */
class Doors {
  readonly #apps: FastifyInstance[] = [];
  latest = "";

  readonly http: Http = {
    serve: async (options, routes) => {
      const app = fastify(options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit });
      this.#apps.push(app);
      app.setNotFoundHandler((_request, reply) => reply.code(404).send("not here"));
      const prefix = options.prefix === "/" ? "" : (options.prefix ?? "");
      app.register(
        (child, _options, done) => {
          void routes(child as never);
          done();
        },
        { prefix },
      );
      const [host = "", port] = options.listen.split(":");
      const address = await app.listen({ host, port: Number(port) });
      this.latest = `${address}${prefix}`;
      return { address, url: this.latest, close: () => close(app) };
    },
    control: async () => undefined,
  };

  async close(): Promise<void> {
    await Promise.all(this.#apps.map(close));
  }
}

/** Connections that become idle while it closes are closed, too. */
async function close(app: FastifyInstance): Promise<void> {
  const sweeping = setInterval(() => app.server.closeIdleConnections(), 10);
  await app.close();
  clearInterval(sweeping);
}
