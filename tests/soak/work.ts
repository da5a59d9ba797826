/** What the daemon of the soak test does: work of every plugin, each kind at its own pace, with its results checked. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { framesOf } from "../../bench/firewall/daemon.js";
import { configure, release, seed, type World, world } from "../../bench/updates/world.js";
import type { Status } from "../../daemon/http/control/api.js";
import { ask } from "../../daemon/http/testing/client.js";
import { child } from "../support/child.js";

/** Milliseconds between the end of one and the start of the next. */
const pauses = {
  deliveries: 50,
  edits: 5_000,
  views: 1_000,
  "sandboxed commands": 2_000,
  "settings edits": 3_000,
  releases: 30_000,
} satisfies Record<string, number>;

type Kind = keyof typeof pauses;

/** How often each kind was done, and how often its result was wrong, with the first reason. */
interface Tally {
  done: number;
  wrong: number;
  reason?: string;
}

export interface Soak {
  readonly world: World;
  /** Until the signal aborts. */
  work(over: AbortSignal): Promise<Readonly<Record<Kind, Tally>>>;
  end(): Promise<void>;
}

const REEVE = new URL("../../cli/reeve.js", import.meta.url).pathname;
const SERVER = new URL("../../plugins/settings/testing/server.js", import.meta.url).pathname;

const hooks = (version: number): string => `import "./{updates,sandbox,settings}.reeve"
hook_server "main" { listen = "127.0.0.1:0" }
hook "answers" {
  methods = ["GET"]
  run = ["true"]
  response { body = "version ${version}" }
}
hook "queues" {
  run = ["true"]
  concurrency = 2
  queue = 1000
}
`;

const settings = (version: number): string => JSON.stringify({ version });

/** A daemon with work for every plugin; a language server behind the proxy; a registry; a repository. */
export async function soak(): Promise<Soak> {
  const ends: Array<() => unknown> = [];
  const end = async (): Promise<void> => {
    for (const each of ends.splice(0).reverse()) await each();
  };
  try {
    const service = createServer((_, response) => response.end("of this machine"));
    service.listen(0, "127.0.0.1");
    await once(service, "listening");
    ends.push(() => service.close());
    const { port } = service.address() as AddressInfo;
    const at = await world({
      "main.reeve": hooks(0),
      "sandbox.reeve": `sandbox "a" { host_access = [${port}] }\n`,
      "settings.reeve": `settings "soak" {\n  schema = "./soak.schema.json"\n  watch = ["./soak.json"]\n}\n`,
      "soak.schema.json": '{"properties": {"version": {"type": "integer"}}}',
      "soak.json": settings(0),
    });
    ends.push(() => at[Symbol.asyncDispose]());
    const agent = new Agent({ keepAlive: true });
    ends.push(() => agent.destroy());
    await seed(at, "soak");
    await configure(at, "soak");
    const server = languageServer(at, (last) => ends.push(last));
    await server.hears(0);
    const steps = {
      deliveries: deliveries(at, agent),
      edits: async (count) => writeFileSync(join(at.daemon.directory, "main.reeve"), hooks(count)),
      views: async () => {
        await at.daemon.control("GET", "/v1/panels");
        await at.daemon.control("GET", "/v1/runs?limit=50");
      },
      "sandboxed commands": () => sandboxed(at, port),
      "settings edits": async (count) => {
        writeFileSync(join(at.daemon.directory, "soak.json"), settings(count));
        await server.hears(count);
      },
      releases: async (count) => void (await release(at, `1.${count}.0`, ["soak"])),
    } satisfies Record<Kind, (count: number) => Promise<void>>;
    return { world: at, end, work: (over) => repeat(steps, over) };
  } catch (thrown) {
    await end();
    throw thrown;
  }
}

/** All kinds at the same time, each one after the other. */
async function repeat(
  steps: Readonly<Record<Kind, (count: number) => Promise<void>>>,
  over: AbortSignal,
): Promise<Readonly<Record<Kind, Tally>>> {
  const kinds = Object.keys(pauses) as Kind[];
  const loops = kinds.map(async (kind): Promise<[Kind, Tally]> => {
    const tally: Tally = { done: 0, wrong: 0 };
    while (!over.aborted) {
      tally.done += 1;
      await steps[kind](tally.done).catch((thrown: unknown) => {
        tally.wrong += 1;
        tally.reason ??= thrown instanceof Error ? thrown.message : String(thrown);
      });
      await sleep(pauses[kind], undefined, { signal: over }).catch(() => undefined);
    }
    return [kind, tally];
  });
  return Object.fromEntries(await Promise.all(loops)) as Record<Kind, Tally>;
}

/** In turns: one that runs while its caller waits, and one that is queued. */
function deliveries({ daemon }: World, agent: Agent): (count: number) => Promise<void> {
  const address = daemon
    .control<Status>("GET", "/v1/status")
    .then(
      ({ listeners }) =>
        listeners.find(({ prefixes }) => prefixes.includes("/hooks"))?.address ?? "",
    );
  return async (count) => {
    const [path, method] = count % 2 === 0 ? ["/hooks/queues", "POST"] : ["/hooks/answers", "GET"];
    const { status, body } = await ask(await address, path, { agent, method });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${body}`);
  };
}

/** One request that the sandbox allows and one that it denies. */
async function sandboxed({ daemon }: World, port: number): Promise<void> {
  const script = `curl -s http://host.docker.internal:${port}/; curl -s -o /dev/null -w ' %{http_code}' http://denied.test/`;
  let written = "";
  for await (const { kind, data } of framesOf(daemon, ["sh", "-c", script])) {
    if (kind === "stdout") written += data.toString("utf8");
  }
  if (written !== "of this machine 403") throw new Error(`a sandboxed command wrote ${written}`);
}

interface LanguageServer {
  /** Resolves when the server has the settings of this version. */
  hears(version: number): Promise<void>;
}

/** As an editor starts it. */
function languageServer({ daemon }: World, atEnd: (end: () => unknown) => void): LanguageServer {
  const control = join(daemon.directory, "control.sock");
  const words = ["settings", "proxy", "--control", control, "--name", "soak", "--"];
  const server = child(
    { teardown: atEnd },
    process.execPath,
    [REEVE, ...words, process.execPath, SERVER],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const initialize = { id: 1, method: "initialize", params: { capabilities: {} } };
  for (const message of [initialize, { method: "initialized", params: {} }]) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.process.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  return {
    async hears(version) {
      await server.says(new RegExp(`didChangeConfiguration.*"version":${version}\\b`));
      server.stdout = "";
    },
  };
}
