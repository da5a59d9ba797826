/** Edits with a real host: a plugin that really serves, and requests that go on while its configuration changes. */
import { createServer, get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test, { type ExecutionContext } from "ava";
import { startDaemon } from "../host/testing/daemon.js";
import { c } from "../plugin-api/block.js";
import type { HttpServer } from "../plugin-api/http.js";
import { definePlugin, type Health } from "../plugin-api/plugin.js";
import type { DaemonEvent } from "../services/contract.js";
import { createReloader } from "./reloader.js";
import { EventRecorder, write } from "./testing/directory.js";

/** Every `listener` block answers with its text; `?wait` keeps the response open until the test closes it. */
function stubListeners() {
  const waiting = new Map<string, (end: string) => void>();
  const state: { health: Health } = { health: { state: "healthy" } };
  const plugin = definePlugin({
    id: "listeners",
    title: "Doors",
    api: 1,
    blocks: {
      listener: c.block({ label: c.name(), attrs: { listen: c.string(), says: c.string() } }),
    },
    setup(context) {
      const running = new Map<string, { readonly says: string; readonly server: HttpServer }>();
      return {
        async prepare(next) {
          const fresh = new Map<string, { readonly says: string; readonly server: HttpServer }>();
          for (const { label, values } of next.blocks.listener) {
            const name = label ?? "";
            if (running.get(name)?.says === values.says) continue;
            const server = await context.http.serve({ listen: values.listen }, (app) => {
              app.get("/", async (request, reply) => {
                if (!request.url.includes("wait")) return values.says;
                reply.hijack();
                reply.raw.write("begun ");
                waiting.set(name, (end) => reply.raw.end(end));
                return reply;
              });
            });
            fresh.set(name, { says: values.says, server });
          }
          const kept = new Set(next.blocks.listener.map(({ label }) => label));
          const over = [...running].filter(([name]) => fresh.has(name) || !kept.has(name));
          return {
            commit: () => {
              for (const [name] of over) running.delete(name);
              for (const [name, listener] of fresh) running.set(name, listener);
            },
            // Resolves when what is in flight there has ended.
            release: async () => {
              await Promise.all(over.map(([, { server }]) => server.close()));
            },
          };
        },
        health: () => state.health,
      };
    },
  });
  return { plugin, waiting, state };
}

async function startHost(t: ExecutionContext, probation: string) {
  const { plugin, waiting, state } = stubListeners();
  const { folder, kit, host } = await startDaemon(t, { builtins: [plugin] });
  const events = new EventRecorder<DaemonEvent>();
  kit.events.subscribe(events.add);
  const socket = (name: string): string => join(folder, `${name}.sock`);
  const configuration = (says: Readonly<Record<string, string>>): string =>
    [
      `daemon {\n  settle = 20ms\n  probation = ${probation}\n}`,
      ...Object.entries(says).map(
        ([name, each]) =>
          `listener "${name}" {\n  listen = "unix:${socket(name)}"\n  says = "${each}"\n}`,
      ),
    ].join("\n");
  const edit = (says: Readonly<Record<string, string>>): void =>
    write(folder, { "main.reeve": configuration(says) });
  const root = join(folder, "main.reeve");
  const reloader = await createReloader({ root, state: join(folder, ".state"), kit, host });
  t.teardown(() => reloader.stop());
  const ask = (name: string, path = "/"): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get({ socketPath: socket(name), path, agent: false }, resolve).on("error", reject);
    });
  const answer = async (name: string): Promise<string> => text(await ask(name));
  const emitted = (type: string, generation: number) =>
    events.find((event) => event.type === type && event.data.generation === generation);
  return { events, edit, reloader, ask, answer, emitted, waiting, state, host, socket };
}

test("while one block changes, no request of another is disturbed and none is refused anywhere", async (t) => {
  const daemon = await startHost(t, "0s");
  daemon.edit({ a: "one", b: "one" });
  await daemon.reloader.start();
  const open = await daemon.ask("b", "/?wait");
  let isRequesting = true;
  const answers = new Set<string>();
  const request = (async () => {
    while (isRequesting) answers.add(await daemon.answer("a"));
  })();
  daemon.edit({ a: "two", b: "one" });
  await daemon.emitted("config.confirmed", 2);
  isRequesting = false;
  await request;
  t.is(await daemon.answer("a"), "two");
  t.is(await daemon.answer("b"), "one");
  t.true([...answers].every((each) => each === "one" || each === "two"));
  daemon.waiting.get("b")?.("ended");
  t.is(await text(open), "begun ended");
  t.like(daemon.host.status(), [{ id: "listeners", state: "running", restarts: 0 }]);
});

test("a request in flight ends on the generation that it began with", async (t) => {
  const daemon = await startHost(t, "0s");
  daemon.edit({ a: "one" });
  await daemon.reloader.start();
  const open = await daemon.ask("a", "/?wait");
  daemon.edit({ a: "two" });
  await daemon.emitted("config.confirmed", 2);
  t.is(await daemon.answer("a"), "two");
  daemon.waiting.get("a")?.("as begun");
  t.is(await text(open), "begun as begun");
});

test("blocks that come back while requests on the old ones are under way are served", async (t) => {
  const daemon = await startHost(t, "0s");
  daemon.edit({ a: "one" });
  await daemon.reloader.start();
  const open = await daemon.ask("a", "/?wait");
  daemon.edit({});
  await daemon.emitted("config.confirmed", 2);
  daemon.edit({ a: "back" });
  await daemon.emitted("config.confirmed", 3);
  daemon.waiting.get("a")?.("as begun");
  t.is(await text(open), "begun as begun");
  t.is(await daemon.answer("a"), "back");
  daemon.edit({});
  await daemon.emitted("config.reloaded", 4);
  await daemon.events.find(({ type }) => type === "plugin.stopped");
  const [stopped, removed] = ["plugin.stopped", "config.reloaded"].map((wanted) =>
    daemon.events.items.findIndex(
      ({ type, data }) => type === wanted && [4, undefined].includes(data.generation as number),
    ),
  );
  t.true((stopped ?? 0) > (removed ?? 0), "it is not stopped before its last block is gone");
});

test("an address in use by another program refuses the whole edit and changes nothing", async (t) => {
  const daemon = await startHost(t, "0s");
  daemon.edit({ a: "one" });
  await daemon.reloader.start();
  const outsider = createServer();
  await new Promise<void>((resolve) => outsider.listen(daemon.socket("b"), resolve));
  t.teardown(() => outsider.close());
  daemon.edit({ a: "two", b: "two" });
  const { data } = await daemon.emitted("config.rejected", 2);
  t.regex(String(data.reason), /b\.sock/);
  t.is(await daemon.answer("a"), "one");
  t.is(daemon.reloader.current?.number, 1);
});

test("a plugin that says it has failed brings back what ran before", async (t) => {
  const daemon = await startHost(t, "10s");
  daemon.edit({ a: "one" });
  await daemon.reloader.start();
  daemon.edit({ a: "two" });
  await daemon.emitted("config.reloaded", 2);
  t.is(await daemon.answer("a"), "two");
  daemon.state.health = { state: "failed", reason: "the hinges are loose" };
  const { data } = await daemon.emitted("config.rolled_back", 2);
  t.regex(String(data.reason), /the hinges are loose/);
  t.is(await daemon.answer("a"), "one");
  t.is(daemon.reloader.current?.number, 1);
});
