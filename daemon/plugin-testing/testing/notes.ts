/**
 * A small plugin that keeps every promise, and breaks the one that `broken` names. As the text of a module, so that it
 * runs in every isolation.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExecutionContext } from "ava";

const NOTES = `
  import { isMainThread } from "node:worker_threads";
  import { c, definePlugin } from "reeve/plugin";

export default definePlugin({
  id: "notes",
  title: "Notes",
  api: broken === "description" ? 99 : 1,
  permissions: { listen: true, exec: ["sleep"] },
  blocks: {
    note: c.block({
      label: c.name(),
      attrs: {
        text: c.string(),
        token: c.secret().optional(),
      },
    }),
  },
  functions: {
    shout: c.function({ parameters: { text: c.string() }, returns: c.string(), run: (text) => text.toUpperCase() }),
  },
  async setup(ctx) {
    const visits = new Map();
    const lock = ctx.store.map("lock");
    const ending = new AbortController();
    const working = [];
    let current;
    const holder = await lock.get("holder");
    if (holder !== undefined && holder === { crash: "failed", restart: "held" }[broken]) throw new Error("Another one is still there.");
    await lock.set("holder", "held");
    if (broken === "timer") (globalThis.forgotten ??= []).push(setInterval(() => undefined, 1_000));
    const calls = ctx.metrics.counter("visits_total", "Visits.");
    const panel = () => ({
      kind: "table", id: "notes", title: "Notes",
      columns: [{ id: "note", title: "Note" }, { id: "visits", title: "Visits", format: "number" }],
      rows: [...current.keys()].map((note) => ({ note, visits: broken === "panels" ? { deep: 1 } : (visits.get(note) ?? 0) })),
    });
    await ctx.http.control(async (app) => {
      app.get("/visits", async () => Object.fromEntries(visits));
    });
    return {
      async prepare(next, previous, attempt) {
        if (broken === "last block" && next.blocks.note.length === 0) throw new Error("nothing to do");
        for (const note of next.blocks.note) {
          if (note.values.text !== "forbidden") continue;
          if (broken === "refusal") continue;
          const range = note.rangeOf("text");
          attempt.report(broken === "range" ? { file: "nowhere", start: 0, end: 1 } : range, "this is not to be said", { code: "forbidden" });
        }
        const notes = new Map(next.blocks.note.map((block) => [block.label, block.values]));
        if (broken === "abort") current = notes;
        if (next.blocks.note.length > 0) await ctx.http.serve({ listen: "127.0.0.1:0", prefix: "/notes" }, async (app) => {
          app.get("/:label", async ({ params }, reply) => {
            const note = current.get(params.label);
            if (!note) return reply.code(404).send("no such note");
            calls.add();
            visits.set(params.label, (visits.get(params.label) ?? 0) + 1);
            const side = broken === "isolation" && !isMainThread ? " elsewhere" : "";
            return { text: note.text + side, trusted: note.token !== undefined };
          });
          app.post("/work", async () => {
            const command = ctx.processes.run({ argv: ["sleep", "60"], signal: ending.signal, grace: 100 });
            working.push(command);
            return "begun";
          });
        });
        return {
          commit() {
            if (broken === "commit" && current !== undefined) return;
            for (const [key, action] of attempt.changes) {
              if (action !== "unchanged" || broken === "untouched") visits.delete(key.split(".").at(-1));
            }
            current = notes;
            for (const { token } of notes.values()) {
              if (token) ctx.log.info("ready", { token });
            }
          },
        };
      },
      async stop(reason) {
        if (reason === "failed") await lock.set("holder", "failed");
        else await lock.delete("holder");
        if (broken !== "stop") ending.abort(new Error("The plugin ends."));
        await Promise.all(working);
      },
      health: () => (broken === "health" ? new Promise(() => undefined) : { state: "healthy" }),
      panels: () => {
        const secret = broken === "secret" ? [...current.values()].flatMap(({ token }) => token?.reveal() ?? []) : [];
        return [panel(), { kind: "values", id: "more", title: "More", entries: secret.map((value) => ({ name: "token", value })) }];
      },
    };
  },
});
`;

/** The promises that the plugin can break. */
export type Breakage =
  | "description"
  | "last block"
  | "refusal"
  | "range"
  | "abort"
  | "commit"
  | "untouched"
  | "isolation"
  | "health"
  | "panels"
  | "secret"
  | "stop"
  | "timer"
  | "restart"
  | "crash";

/** The URL of its module, on the disk for one test. */
export function notes(t: ExecutionContext, broken?: Breakage): URL {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reeve-notes-")));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "notes.mjs");
  writeFileSync(path, `const broken = ${JSON.stringify(broken)};\n${NOTES}`);
  return pathToFileURL(path);
}
