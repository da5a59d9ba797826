/** A plugin that never finishes starting or preparing: the edit that repairs it does not wait for it. */
import { unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { eventually } from "../../tests/support/eventually.js";
import type { PluginCatalog } from "../config/program.js";
import type { FailableHost } from "../host/host.js";
import { startDaemon } from "../host/testing/daemon.js";
import type { Clock } from "../plugin-api/context.js";
import type { DaemonEvent } from "../services/contract.js";
import { createReloader } from "./reloader.js";
import { EventRecorder, write } from "./testing/directory.js";

/** Its setup never ends if there is a file `stuck`, and not before a file `held` is gone; its `prepare` ends as the block says. */
const PLUGIN = `
  import { existsSync } from "node:fs";
  import { c, definePlugin } from "reeve/plugin";
  const never = new Promise(() => {});
  export default definePlugin({
    id: "stuck", title: "Stuck", api: 1, permissions: { read: true },
    blocks: { thing: c.block({ label: c.name(), attrs: { prepare: c.string() } }) },
    setup: async (ctx) => {
      if (existsSync(ctx.directories.configuration + "/stuck")) {
        ctx.log.info("setup waits");
        await never;
      }
      while (existsSync(ctx.directories.configuration + "/held"))
        await new Promise((resolve) => setTimeout(resolve, 10));
      return {
        async prepare(next) {
          const how = next.blocks.thing[0]?.values.prepare;
          ctx.log.info("prepare: " + how);
          if (how === "wait") await never;
          if (how === "block") {
            // The log line has to be sent first.
            await new Promise((resolve) => setTimeout(resolve, 20));
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
          }
          return { commit() {} };
        },
        stop: (reason) => (reason === "shutdown" ? undefined : never),
      };
    },
  });
`;

/** Milliseconds from the report of an edit until it ends the attempt. No other sleep of a reload is as long. */
const GRACE = 501;

/** `binding` is awaited in each load. `reports` of the result rises once an edit is reported. */
async function start(
  t: ExecutionContext,
  isolation: string,
  binding: () => Promise<void> = async () => undefined,
) {
  const daemon = await startDaemon(t, { files: { "stuck.mjs": PLUGIN } });
  const { folder, kit, host } = daemon;
  const events = new EventRecorder<DaemonEvent>();
  kit.events.subscribe(events.add);
  const root = join(folder, "main.reeve");
  const declaration = `daemon {\n  settle = 20ms\n  probation = 0s\n}\nplugin "s" { source = "./stuck.mjs"; isolation = "${isolation}" }\n`;
  const edit = (prepare?: string): void =>
    write(folder, {
      "main.reeve": `${declaration}${prepare === undefined ? "" : `s.thing "x" { prepare = "${prepare}" }\n`}`,
    });
  edit();
  const catalog: PluginCatalog = {
    bind: async (...how) => {
      await binding();
      return host.catalog.bind(...how);
    },
  };
  let reports = 0;
  const clock: Clock = {
    now: () => kit.clock.now(),
    sleep: (milliseconds, signal) => {
      if (milliseconds === GRACE) reports += 1;
      return kit.clock.sleep(milliseconds, signal);
    },
  };
  const reloader = await createReloader({
    root,
    state: join(folder, ".state"),
    kit: { ...kit, clock },
    grace: GRACE,
    host,
    catalog,
  });
  t.teardown(() => reloader.stop());
  const logged = (text: string, times = 1) =>
    eventually(`"${text}" in the log`, () => daemon.log.split(text).length > times);
  const emitted = (type: string, generation: number) =>
    events.find((event) => event.type === type && event.data.generation === generation);
  const [marker, held] = [join(folder, "stuck"), join(folder, "held")];
  return { daemon, host, reloader, edit, logged, emitted, marker, held, reports: () => reports };
}

for (const isolation of ["worker", "process"]) {
  test.serial(`a newer edit ends a setup that does not end in a ${isolation}`, async (t) => {
    const { reloader, edit, logged, emitted, marker } = await start(t, isolation);
    await reloader.start();
    writeFileSync(marker, "");
    edit("at once");
    await logged("setup waits");
    unlinkSync(marker);
    edit("now");
    t.is((await emitted("config.rejected", 2)).data.reason, "a newer edit replaces it");
    await emitted("config.confirmed", 3);
  });

  for (const how of ["wait", "block"]) {
    test.serial(
      `a newer edit ends a prepare that does not end in a ${isolation}: ${how}`,
      async (t) => {
        const { reloader, edit, logged, emitted, host } = await start(t, isolation);
        await reloader.start();
        edit(how);
        await logged(`prepare: ${how}`);
        edit("now");
        t.is((await emitted("config.rejected", 2)).data.reason, "a newer edit replaces it");
        await emitted("config.confirmed", 3);
        edit(how);
        await logged(`prepare: ${how}`, 2);
        edit("then");
        t.is((await emitted("config.rejected", 4)).data.reason, "a newer edit replaces it");
        await emitted("config.confirmed", 5);
        t.is(host.status()[0]?.state, "running");
      },
    );
  }
}

test("an edit that a request reads is not lost when the report of this edit ends the request's attempt", async (t) => {
  let isReported = (): boolean => true;
  const { reloader, edit, emitted, held, reports } = await start(t, "worker", async () => {
    await eventually("the edit is reported", () => isReported());
  });
  await reloader.start();
  writeFileSync(held, "");
  const before = reports();
  // The watcher reports the edit while the request loads it.
  isReported = () => reports() > before;
  edit("now");
  const requested = reloader.reload("request");
  t.is((await emitted("config.rejected", 2)).data.reason, "a newer edit replaces it");
  unlinkSync(held);
  await emitted("config.confirmed", 3);
  const { generation } = await requested;
  t.deepEqual([generation.number, generation.state], [3, "committed"]);
  t.is(reloader.current?.number, 3);
});

test("a newer edit ends the restart of a plugin whose setup does not end", async (t) => {
  const { daemon, reloader, edit, logged, emitted, marker } = await start(t, "worker");
  edit("at once");
  await reloader.start();
  writeFileSync(marker, "");
  await (daemon.host as FailableHost).fail("stuck", "It was ended by the test.");
  await logged("setup waits");
  unlinkSync(marker);
  edit("now");
  await emitted("config.confirmed", 2);
  t.is(daemon.status("stuck")?.state, "running");
  t.is(daemon.status("stuck")?.failure?.reason, "It was ended by the test.");
});

test("an edit during the start ends a setup that does not end", async (t) => {
  const { reloader, edit, logged, marker } = await start(t, "worker");
  writeFileSync(marker, "");
  edit("at once");
  const started = reloader.start();
  await logged("setup waits");
  unlinkSync(marker);
  edit("now");
  const { generation, refused } = await started;
  t.is(generation.number, 2);
  t.is(refused, undefined);
});
