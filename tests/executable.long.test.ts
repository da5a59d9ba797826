/** The single executable is the same whenever it is built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { build, executableTools } from "./image/build.js";
import { folder } from "./support/folder.js";
import { needs } from "./support/needs.js";

needs(test, ...executableTools)("the same sources give the same bytes", async (t) => {
  t.timeout(300_000);
  const directory = folder(t);
  const line = /^.* {2}reeve-.*-linux-\w+$/m;
  const sums: Array<string | undefined> = [];
  for (const name of ["first", "second"]) {
    const to = await build("executable", directory, name);
    sums.push(line.exec(readFileSync(join(to, "SHA256SUMS"), "utf8"))?.[0]);
  }
  t.truthy(sums[0]);
  t.is(sums[0], sums[1]);
});
