/** A plugin whose reads hold every thread that Node shares for files: what was promised is kept, said and ended. */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { output } from "../../tests/support/child.js";
import { eventually, within } from "../../tests/support/eventually.js";
import { ask } from "../http/testing/client.js";
import { type RunningDaemon, run, site } from "./testing/daemon.js";

/** Milliseconds: what a busy machine adds to a deadline. */
const SLACK = 3000;

/** Does what the file `fault` says, once. */
const PLUGIN = `
  import { existsSync, readFile, readFileSync, unlinkSync } from "node:fs";
  import { pbkdf2 } from "node:crypto";
  import { c, definePlugin } from "reeve/plugin";
  const faults = {
    "four reads": (directory) => {
      for (let read = 0; read < 4; read += 1) readFile(directory + "/fifo", () => undefined);
    },
    "many keys": () => {
      for (let key = 0; key < 200; key += 1) pbkdf2("a", "b", 4_000_000, 64, "sha512", () => undefined);
    },
  };
  export default definePlugin({
    id: "stuck", title: "Stuck", api: 1, permissions: { read: true, write: true },
    blocks: { thing: c.block({ label: c.name(), attrs: {} }) },
    setup(ctx) {
      const { configuration } = ctx.directories;
      const path = configuration + "/fault";
      const timer = setInterval(() => {
        if (!existsSync(path)) return;
        const fault = readFileSync(path, "utf8");
        if (fault === "") return;
        clearInterval(timer);
        unlinkSync(path);
        faults[fault]?.(configuration);
        if (fault === "a busy end") ending = () => { for (;;); };
      }, 20);
      let ending = () => undefined;
      return { prepare: async () => ({ commit() {} }), stop: async () => ending() };
    },
  });
`;

const configuration = (isolation: string, directory: string): string => `
daemon { drain_timeout = 1s }
plugin "stuck" { source = "./stuck.mjs"; isolation = "${isolation}" }
stuck.thing "x" {}
hook_server "default" { listen = "127.0.0.1:0" }
hook "a" {
  run = ["sh", "-c", "echo ran >> ${directory}/ran"]
  durability = "disk"
  response { status = 202 }
}
`;

async function stuck(t: import("ava").ExecutionContext, isolation: string) {
  const project = await site(t, "");
  const { directory } = project;
  await project.write(configuration(isolation, directory));
  await writeFile(join(directory, "stuck.mjs"), PLUGIN);
  output("mkfifo", [join(directory, "fifo")]);
  const daemon = await run(t, project);
  const ran = (): number => {
    const path = join(directory, "ran");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  };
  const [listener] = daemon.said.listeners as ReadonlyArray<{ readonly address: string }>;
  const deliver = async () =>
    (await ask(listener?.address ?? "", "/hooks/a", { method: "POST" })).status;
  t.is(await deliver(), 202);
  await eventually("the first command", () => ran() === 1);
  const fault = async (what: string): Promise<void> => {
    await writeFile(join(directory, "fault"), what);
    await eventually("the fault", () => !existsSync(join(directory, "fault")));
  };
  return { project, daemon, deliver, ran, fault };
}

const readiness = async (daemon: RunningDaemon) => {
  const { status, body } = await daemon.get("/readyz");
  const { reasons } = JSON.parse(body) as { readonly reasons: readonly string[] };
  return { status, blocked: reasons.filter((each) => each.includes("pool of file threads")) };
};

/** What the log says of the deadline. */
const deadlineOf = ({ log }: RunningDaemon) =>
  log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find(({ message }) => String(message).startsWith("The exit deadline"));

for (const fault of ["four reads", "many keys"]) {
  test.serial(
    `while ${fault} of a plugin in a worker hold the pool, deliveries are acknowledged and their commands run; SIGTERM ends the daemon in time`,
    async (t) => {
      const { project, daemon, deliver, ran, fault: cause } = await stuck(t, "worker");
      await cause(fault);
      await eventually("it not to be ready", async () => (await readiness(daemon)).status === 503);
      const { blocked } = await readiness(daemon);
      t.is(blocked.length, 1);
      t.regex(blocked[0] ?? "", /^The process's pool of file threads is blocked: /);
      for (let delivery = 2; delivery <= 4; delivery += 1) {
        t.is(await within("the acknowledgement", deliver(), 20_000), 202);
        await eventually("its command", () => ran() === delivery);
      }
      daemon.child.kill("SIGTERM");
      t.is(await within("the end", daemon.exited), 75);
      const deadline = deadlineOf(daemon);
      t.regex(String(deadline?.open), /plugins \(stuck\).*pool of file threads is blocked/);
      t.true(Number(deadline?.milliseconds) < 1000 + 1000 + SLACK, String(deadline?.milliseconds));

      const next = await run(t, project);
      t.is((await next.get("/readyz")).status, 200);
      const { runs } = JSON.parse((await next.get("/v1/runs")).body) as {
        runs: { state: string }[];
      };
      t.deepEqual(
        runs.map(({ state }) => state),
        ["succeeded", "succeeded", "succeeded", "succeeded"],
      );
      next.child.kill("SIGTERM");
      t.is(await next.exited, 0);
    },
  );
}

test.serial("a plugin that never lets go of the main thread does not delay the end", async (t) => {
  const { daemon, fault } = await stuck(t, "inline");
  await fault("a busy end");
  daemon.child.kill("SIGTERM");
  t.is(await within("the end", daemon.exited), 75);
  const deadline = deadlineOf(daemon);
  t.regex(String(deadline?.open), /^plugins \((stuck|stuck hooks|hooks stuck)\)/);
  t.true(Number(deadline?.milliseconds) < 1000 + 1000 + SLACK, String(deadline?.milliseconds));
});

test.serial(
  "reads of a built-in kind, in the main thread, are held by a dead disk: the end is orderly and in time",
  async (t) => {
    const { daemon, deliver, fault } = await stuck(t, "inline");
    await fault("four reads");
    await eventually("it not to be ready", async () => (await readiness(daemon)).status === 503);
    t.is(await within("the acknowledgement", deliver(), 20_000), 202);
    daemon.child.kill("SIGTERM");
    const end = await within("the end", daemon.exited);
    t.true(end === 0 || end === 75, String(end));
  },
);
