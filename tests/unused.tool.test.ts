/** Nothing is exported that no other file uses, and no file or dependency is unused: knip's report is empty. */
import ava from "ava";
import { run } from "./support/child.js";
import { needs } from "./support/needs.js";
import { programPath, programs } from "./support/programs.js";

const test = needs(ava, programs);

test("no export, file or dependency is unused", async (t) => {
  t.timeout(120_000);
  const words = [await programPath("knip/bin/knip.js"), "--no-progress"];
  const { code, stdout, stderr } = await run(process.execPath, words);
  t.is(`${stdout}${stderr}`.trim(), "");
  t.is(code, 0);
});
