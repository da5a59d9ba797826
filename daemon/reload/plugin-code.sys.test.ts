/** The code of a declared plugin is followed like the configuration that declares it. */
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { startDaemon } from "../host/testing/daemon.js";
import type { DaemonEvent } from "../services/contract.js";
import { createReloader } from "./reloader.js";
import { EventRecorder, write } from "./testing/directory.js";

const code = (version: string, more = ""): string => `
  import { c, definePlugin } from "reeve/plugin";
  export default definePlugin({
    id: "acme", title: "Acme", api: 1, version: "${version}",
    blocks: { note: c.block({ label: c.name() }) },
    setup: () => ({ prepare: () => ({ commit() {} }) }),
  });
  ${more}
`;

async function startHost(t: ExecutionContext, isolation: string) {
  const configuration = `daemon {
  settle = 20ms
  probation = 0s
}
plugin "acme" {
  source = "./acme.mjs"
  isolation = "${isolation}"
}
acme.note "a" {}
`;
  const files = { "main.reeve": configuration, "acme.mjs": code("1.0.0") };
  const { folder, kit, host } = await startDaemon(t, { files });
  const events = new EventRecorder<DaemonEvent>();
  kit.events.subscribe(events.add);
  const root = join(folder, "main.reeve");
  const reloader = await createReloader({ root, state: join(folder, ".state"), kit, host });
  t.teardown(() => reloader.stop());
  await reloader.start();
  const version = () => host.status().find(({ id }) => id === "acme")?.version;
  const emitted = (type: string, generation: number) =>
    events.find((event) => event.type === type && event.data.generation === generation);
  return {
    version,
    emitted,
    reloader,
    edit: (text: string) => write(folder, { "acme.mjs": text }),
  };
}

for (const isolation of ["inline", "worker"]) {
  test(`an edit of a plugin's code replaces what runs: ${isolation}`, async (t) => {
    const daemon = await startHost(t, isolation);
    t.is(daemon.version(), "1.0.0");
    daemon.edit(code("1.1.0"));
    await daemon.emitted("config.confirmed", 2);
    t.is(daemon.version(), "1.1.0");
    t.is(daemon.reloader.current?.summary?.unchanged, 1);
  });
}

test("code that cannot be loaded is refused, what runs, runs on, and the next edit is tried", async (t) => {
  const daemon = await startHost(t, "worker");
  daemon.edit(code("1.1.0", "oops("));
  await daemon.emitted("config.rejected", 2);
  t.is(daemon.version(), "1.0.0");
  daemon.edit(code("1.2.0"));
  await daemon.emitted("config.confirmed", 3);
  t.is(daemon.version(), "1.2.0");
  t.is(daemon.reloader.degraded, undefined);
});
