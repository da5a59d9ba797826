import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { run, site } from "./testing/daemon.js";

const noisy = `
  import { c, definePlugin } from "reeve/plugin";
  export default definePlugin({
    id: "noisy", title: "Noisy", api: 1,
    blocks: { noise: c.block({ label: c.name(), attrs: {} }) },
    setup: async (ctx) => ({
      prepare: async () => ({
        commit() {
          setInterval(() => { for (let i = 0; i < 2_000; i += 1) ctx.log.info("x".repeat(500)); }, 10);
        },
      }),
      stop: () => new Promise(() => {}),
    }),
  });
`;

for (const isolation of ["worker", "process"]) {
  test(`SIGTERM ends a daemon whose plugin in a ${isolation} logs without end and does not stop`, async (t) => {
    const project = await site(
      t,
      `daemon { drain_timeout = 1s }
plugin "noisy" { source = "./noisy.mjs"; isolation = "${isolation}" }
noisy.noise "x" {}
`,
    );
    await writeFile(join(project.directory, "noisy.mjs"), noisy);
    const daemon = await run(t, project);
    await eventually("the complaint", () =>
      daemon.log.some((line) => line.includes("logs, emits or measures too much")),
    );
    t.is((await daemon.get("/v1/status")).status, 200);
    daemon.child.kill("SIGTERM");
    t.is(await daemon.exited, 0);
  });
}
