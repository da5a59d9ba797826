/** The hooks in the real host, on real sockets, with a configuration on the disk that can be edited. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ExecutionContext } from "ava";
import type { Fields, Health, Isolation, Panel, RunRecord } from "reeve/plugin";
import { createCatalog } from "../../daemon/catalog/catalog.js";
import { load } from "../../daemon/config/load.js";
import { plan } from "../../daemon/config/plan.js";
import type { Program } from "../../daemon/config/program.js";
import { createHost } from "../../daemon/host/host.js";
import { createListeners } from "../../daemon/http/listeners/listeners.js";
import { createFiles } from "../../daemon/reload/watch/files.js";
import { openServices } from "../../daemon/services/services.js";

export interface House {
  /** Where the hooks of the only server are. */
  readonly url: string;
  /** Every server's address, by its prefix. */
  servers(): ReadonlyMap<string, string>;
  /** The directory of the configuration. */
  readonly directory: string;
  post(path: string, body?: string, headers?: Record<string, string>): Promise<Response>;
  /** Gives what there is to complain about. */
  edit(text: string): Promise<readonly string[]>;
  /** The data of the next event of the type that was not asked for before. */
  next(type: string): Promise<Fields>;
  /** Oldest first. */
  runs(): Promise<readonly RunRecord[]>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  health(): Promise<Health | undefined>;
  panels(): Promise<readonly Panel[]>;
  /** Where the plugin's part of the control API is. */
  readonly controlSocket: string;
  /** What runs is cut off after `grace` milliseconds. */
  stop(grace?: number): Promise<void>;
}

/** Secrets are in the environment: `S` and others are `hunter22`. */
const environment = { S: "hunter22", T: "hunter22", TOKEN: "hunter22", BLANK: " " };

export interface HouseOptions {
  readonly isolation?: Isolation;
  /** Beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function house(
  t: ExecutionContext,
  text: string,
  { isolation = "inline", files: others = {} }: HouseOptions = {},
): Promise<House> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-hooks-"));
  const root = join(directory, "main.reeve");
  for (const [name, content] of Object.entries(others)) {
    await writeFile(join(directory, name), content);
  }
  const own = (name: string): string => join(directory, ".reeve", name);
  const kit = await openServices({
    directories: { state: own("state"), cache: own("cache"), temporary: own("temporary") },
    logLevel: "error",
    logFormat: "text",
    logStream: new PassThrough().resume(),
  });
  const listeners = await createListeners({ log: kit.log, environment: {} });
  const files = createFiles({ log: kit.log, clock: kit.clock });
  const catalog = createCatalog({ builtins: ["hooks"], isolation: { hooks: isolation } });
  const control = createServer().listen(own("control.sock"));
  const host = createHost({
    ...{ kit, listeners, files, catalog, environment, configuration: root },
    mounts: {
      mount: (_plugin, handler) => void control.on("request", handler),
      unmount: () => void control.removeAllListeners("request"),
    },
  });

  let current: Program | undefined;
  let generation = 0;
  const edit = async (next: string): Promise<readonly string[]> => {
    await writeFile(root, next);
    const { program, diagnostics } = await load(root, { catalog });
    if (!program) return diagnostics.map(({ message }) => message);
    generation += 1;
    const never = new AbortController().signal;
    const outcome = await host.prepare(program, plan(current, program), generation, never);
    if (outcome.ok) {
      outcome.prepared.commit();
      await outcome.prepared.release();
      current = program;
    }
    return [...diagnostics, ...outcome.diagnostics].map(({ message }) => message);
  };

  let stopped: Promise<void> | undefined;
  const stop = (grace = 10_000): Promise<void> => {
    stopped ??= host.stop(AbortSignal.timeout(grace));
    return stopped;
  };
  t.teardown(async () => {
    await stop();
    await listeners.close(AbortSignal.timeout(0));
    control.close();
    await files.close();
    await catalog.close();
    await kit.close();
    await rm(directory, { recursive: true, force: true });
  });
  const complaints = await edit(text);
  if (!current) throw new Error(complaints.join("\n"));

  const servers = (): ReadonlyMap<string, string> =>
    new Map(
      listeners.list().flatMap(({ address, prefixes }) =>
        prefixes.map((prefix) => {
          const path = prefix === "/" ? "" : prefix;
          return [prefix, `http://${address}${path}`] as const;
        }),
      ),
    );
  const url = (): string => [...servers().values()][0] ?? "";
  const asked = new Map<string, number>();
  return {
    get url() {
      return url();
    },
    servers,
    directory,
    post: (path, body = "", headers = {}) =>
      fetch(`${url()}/${path}`, { method: "POST", body, headers }),
    edit,
    async next(type) {
      const past = asked.get(type) ?? 0;
      asked.set(type, past + 1);
      for (;;) {
        const all = (kit.events.since(0) ?? []).filter((event) => event.type === type);
        const event = all[past];
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
    health: async () => (await host.health()).get("hooks"),
    panels: async () => (await host.panels()).flatMap(({ panels }) => panels),
    controlSocket: own("control.sock"),
    stop,
  };
}
