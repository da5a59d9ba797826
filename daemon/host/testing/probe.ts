/**
 * A plugin that can be asked, over HTTP, to use whatever it is given, or to go wrong in any way. It is written as its
 * author would write it, so that the same text runs in every isolation.
 */
const PROBE = `
  import { c, definePlugin } from "reeve/plugin";
  const Request = c.scope("request", { payload: c.any(), header: { type: c.map(c.string()), caseInsensitive: true } });
  const secondStep = async (db) => { await db.insertInto("seen").values({ word: "first" }).execute(); };
  export default definePlugin({
    id: "probe", title: "Probe", api: 1, version: "1.2.3",
    permissions: { listen: true, exec: ["cat", "sh"], read: true },
    blocks: {
      probe: c.block({
        label: c.name(),
        attrs: {
          listen: c.string().default('"127.0.0.1:0"'),
          prefix: c.string().default('"/probe"'),
          raw: c.string().optional(),
          reply: c.string().default('"hello"'),
          token: c.secret().optional(),
          when: c.expr({ scope: Request, returns: c.boolean() }).optional(),
          match: c.regex().optional(),
          timeout: c.duration().default("1m"),
          trouble: c.string().optional(),
        },
        blocks: { step: c.block({ label: c.name(), attrs: { size: c.size().default("1KiB") } }) },
      }),
    },
    async setup(ctx) {
      const counter = ctx.metrics.counter("calls_total", "Calls.", ["path"]);
      const notes = ctx.store.map("notes");
      const told = [];
      let current;
      let generation = 0;
      let health = { state: "healthy" };
      ctx.services.provide("probing", { probe: async (text) => "probed " + text });
      await ctx.http.control(async (app) => {
        app.get("/address", async () => ({ address: current?.server.address, url: current?.server.url }));
      });
      const uses = {
        reply: () => current.block.values.reply,
        who: () => ({ id: ctx.id, generation, label: current.block.label, key: current.block.key }),
        values: ({ payload }) => {
          const { token, when, match, timeout, step } = current.block.values;
          return {
            token: token?.reveal(), shown: String(token), equals: token?.equals("tell-nobody"),
            when: when?.evaluate({ payload, header: { "x-a": "b" } }), why: when?.explain({ payload, header: {} }).outcome,
            match: match?.test("abc123"), timeout, steps: step.map((each) => [each.label, each.values.size]),
          };
        },
        keep: async ({ key, value }) => { await notes.set(key, value); return notes.entries({ prefix: "" }); },
        forget: async ({ key }) => ({ deleted: await notes.delete(key), left: (await notes.get(key)) === undefined }),
        table: async ({ words }) => {
          const db = await ctx.store.database({
            "1-create": async (db) => { await db.schema.createTable("seen").addColumn("word", "text").execute(); },
            "2-begin": secondStep,
          });
          await db.transaction().execute(async (trx) => {
            for (const word of words) await trx.insertInto("seen").values({ word }).execute();
          });
          await db.transaction().execute(async (trx) => {
            await trx.insertInto("seen").values({ word: "never" }).execute();
            throw new Error("undone");
          }).catch(() => undefined);
          const rows = await db.selectFrom("seen").selectAll().orderBy("word").execute();
          const { numUpdatedRows } = await db.updateTable("seen").set({ word: "x" }).executeTakeFirst();
          await db.deleteFrom("seen").execute();
          return { words: rows.map(({ word }) => word), updated: Number(numUpdatedRows) };
        },
        job: async ({ payload }) => {
          const { promise, resolve } = Promise.withResolvers();
          const queue = await ctx.jobs.queue("work", { attempts: 2, backoff: 1 }, async (job) => {
            if (job.attempt === 1) { await job.report({ half: true }); throw new Error("once more"); }
            resolve({ payload: job.payload, attempt: job.attempt, progress: job.progress });
          });
          const id = await queue.add(payload);
          const done = await promise;
          await queue.close();
          return { ...done, hasId: typeof id === "string" };
        },
        run: async () => {
          const run = await ctx.runs.start({ kind: "probe", subject: "probe.x", detail: { a: 1 } });
          run.output("stdout", "first ");
          run.output("stderr", new TextEncoder().encode("second"));
          await run.finish({ state: "failed", exitCode: 3, reason: "It was meant to." });
          const { state, output, exitCode, detail } = await ctx.runs.get(run.id);
          const [newest] = await ctx.runs.list({ kind: "probe", limit: 1 });
          return { state, exitCode, detail, text: output.text, listed: newest.id === run.id };
        },
        command: async ({ argv, stdin }) => {
          const parts = [];
          const result = await ctx.processes.run({
            argv, stdin, env: { TOKEN: current.block.values.token ?? "" },
            onOutput: (stream, data) => parts.push(stream + ":" + new TextDecoder().decode(data)),
          });
          return { outcome: result.outcome, code: result.exitCode, text: new TextDecoder().decode(result.stdout), parts };
        },
        cancel: async () => {
          const controller = new AbortController();
          const running = ctx.processes.run({
            argv: ["sh", "-c", "echo up; sleep 60"], signal: controller.signal, onOutput: () => controller.abort(new Error("enough")),
          });
          return (await running).outcome;
        },
        watch: async ({ path }) => {
          const { promise, resolve } = Promise.withResolvers();
          const watch = await ctx.files.watch([path], { settle: 10 }, ({ files }) => {
            if (files.length > 0) resolve(files.map(({ content }) => new TextDecoder().decode(content)));
          });
          const texts = await promise;
          await watch.close();
          return texts;
        },
        service: async ({ name, text }) => {
          const service = ctx.services.use(name);
          return service === undefined ? "nobody" : service.probe(text);
        },
        tell: ({ text }) => {
          ctx.log.child({ part: "child" }).warn(text, { error: new Error("inner"), token: current.block.values.token });
          ctx.events.emit("probe.told", { text });
          counter.add(2, { path: "/tell" });
          ctx.metrics.gauge("depth", "Depth.").set(4);
          ctx.metrics.histogram("took_seconds", "Took.").observe(0.2);
          console.log("printed " + text);
          return "told";
        },
        clock: async () => {
          const before = ctx.clock.now();
          await ctx.clock.sleep(5);
          const controller = new AbortController();
          const sleeping = ctx.clock.sleep(60_000, controller.signal).then(() => "slept", (thrown) => thrown.message);
          controller.abort(new Error("woken"));
          return { passed: ctx.clock.now() >= before, woken: await sleeping };
        },
        directories: () => ctx.directories,
        told: () => told,
        unwell: ({ state, reason }) => { health = { state, reason }; return "noted"; },
        throw: () => { throw new Error("a bug"); },
        crash: () => { setTimeout(() => { throw new Error("out of paper"); }, 5); return "soon"; },
        exit: () => { setTimeout(() => process.exit(7), 5); return "soon"; },
        hang: () => { setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 5); return "soon"; },
        swell: () => { setTimeout(() => { const all = []; for (;;) all.push(new Array(100_000).fill(Math.random())); }, 5); return "soon"; },
      };
      return {
        async prepare(next, previous, attempt) {
          const [block] = next.blocks.probe;
          if (block?.values.trouble === "report") attempt.report(block.rangeOf("trouble"), "trouble is asked for");
          if (block?.values.trouble === "throw") throw new Error("trouble is thrown");
          if (block?.values.trouble === "hang") for (;;);
          if (block === undefined) return { commit() { current = undefined; } };
          const server = await ctx.http.serve({ listen: block.values.listen, prefix: block.values.prefix, bodyLimit: 200_000 }, async (app) => {
            app.addContentTypeParser("*", (request, payload, done) => done(null, payload));
            app.post("/use/:what", async (request) => ({ answer: (await uses[request.params.what](request.body ?? {})) ?? null }));
            app.get("/reply", async (request, reply) => {
              reply.header("x-probe", ["a", "b"]);
              return block.values.reply + " to " + request.ip + " at " + request.url;
            });
            app.get("/long", (request, reply) => {
              async function* parts() { for (let i = 0; i < 300; i += 1) yield String(i % 10).repeat(1024); }
              return reply.send(ReadableFrom(parts()));
            });
            app.get("/hold", (request, reply) => {
              request.raw.on("close", () => { if (!reply.raw.writableFinished) told.push("left"); });
              told.push("held");
            });
            app.get("/slow", async () => { await ctx.clock.sleep(300); return block.values.reply; });
            app.post("/count", async (request) => { let size = 0; for await (const chunk of request.body) size += chunk.length; return { size }; });
          });
          if (block.values.raw !== undefined) {
            await ctx.http.serve({ listen: block.values.listen, prefix: block.values.raw }, {
              handle(request, response) {
                if (request.url.endsWith("/throw")) throw new Error("a bug");
                let size = 0;
                request.on("data", (chunk) => { size += chunk.length; });
                request.on("end", () => {
                response.writeHead(201, { "x-method": request.method, "x-from": request.socket.remoteAddress });
                response.end(request.url + " " + size);
                });
              },
            });
          }
          return {
            commit() { current = { block, server }; generation = next.generation; if (block.values.trouble === "commit") throw new Error("swap failed"); },
            abort() { told.push("aborted"); },
            release() { told.push("released"); },
          };
        },
        stop(reason) { ctx.log.info("stopping because " + reason); },
        health: () => health,
        panels: () => [{ kind: "values", id: "told", title: "Told", entries: told.map((name) => ({ name, value: 1 })) }],
        resolveSecret: async (reference) => "secret of " + reference,
      };
    },
  });
  import { Readable } from "node:stream";
  const ReadableFrom = (parts) => Readable.from(parts);
`;

export { PROBE };
