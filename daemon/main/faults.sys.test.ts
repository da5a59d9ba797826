/** The table of isolations and faults in docs/plugins.md, for the faults that end a plugin at once. */
import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { run, site } from "./testing/daemon.js";

/** Does what is in the file `fault`, once. */
const PLUGIN = `
  import { readFileSync, unlinkSync } from "node:fs";
  import { c, definePlugin } from "reeve/plugin";
  const faults = {
    "an error in a timer": () => { throw new Error("a bug"); },
    "\`process.exit()\`": () => process.exit(7),
    "a crash of Node, or \`process.kill(process.pid)\`": () => process.kill(process.pid, "SIGKILL"),
  };
  export default definePlugin({
    id: "faulty", title: "Faulty", api: 1, permissions: { read: true, write: true },
    blocks: { thing: c.block({ label: c.name(), attrs: {} }) },
    setup(ctx) {
      const path = ctx.directories.configuration + "/fault";
      setInterval(() => {
        let fault;
        try {
          fault = readFileSync(path, "utf8");
          unlinkSync(path);
        } catch {
          return;
        }
        faults[fault]();
      }, 20);
      return { prepare: async () => ({ commit() {} }) };
    },
  });
`;

const page = readFileSync(new URL("../../../docs/plugins.md", import.meta.url), "utf8");
const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
const [, , ...isolations] = rows.find((cells) => cells[1] === "Fault") ?? [];

for (const fault of [
  "an error in a timer",
  "`process.exit()`",
  "a crash of Node, or `process.kill(process.pid)`",
]) {
  const [, , ...results] = rows.find((cells) => cells[1] === fault) ?? [];
  for (const column of [0, 1, 2]) {
    const isolation = isolations[column]?.replaceAll("`", "");
    const result = results[column];
    test.serial(`${fault}, ${isolation}: ${result}`, async (t) => {
      const project = await site(
        t,
        `plugin "faulty" { source = "./faulty.mjs"; isolation = "${isolation}" }\nfaulty.thing "x" {}\n`,
      );
      await writeFile(join(project.directory, "faulty.mjs"), PLUGIN);
      const daemon = await run(t, project);
      const path = join(project.directory, "fault");
      await writeFile(`${path}~`, fault);
      await rename(`${path}~`, path);
      if (result === "daemon ends") {
        const end = await daemon.exited;
        t.true(end === 7 || end === "SIGKILL", String(end));
        return;
      }
      t.is(result, "plugin restarts");
      await eventually("the restart", () =>
        daemon.log.some((line) => line.includes("The plugin faulty failed and restarts")),
      );
      await eventually("the plugin to run again", async () =>
        (await daemon.get("/v1/plugins")).body.includes('"state":"running"'),
      );
      daemon.child.kill("SIGTERM");
      t.is(await daemon.exited, 0);
    });
  }
}
