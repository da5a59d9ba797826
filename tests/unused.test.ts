/** Nothing is exported that no other file uses, and no file or dependency is unused: knip's report is empty. */
import { spawnSync } from "node:child_process";
import ava from "ava";
import { needs } from "./support/needs.js";
import { programPath, programs } from "./support/programs.js";

const test = needs(ava, programs);

test("no export, file or dependency is unused", async (t) => {
  t.timeout(120_000);
  const knip = spawnSync(
    process.execPath,
    [await programPath("knip/bin/knip.js"), "--no-progress"],
    {
      encoding: "utf8",
    },
  );
  t.is(`${knip.stdout}${knip.stderr}`.trim(), "");
  t.is(knip.status, 0);
});
