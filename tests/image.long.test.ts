/** The container image is the same whenever it is built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { build, imageTools } from "./image/build.js";
import { folder } from "./support/folder.js";
import { needs } from "./support/needs.js";

needs(test, ...imageTools)("the same sources give the same bytes", async (t) => {
  t.timeout(600_000);
  const directory = folder(t);
  const sums: string[] = [];
  for (const name of ["first", "second"]) {
    const to = await build("image", directory, name);
    sums.push(readFileSync(join(to, "SHA256SUMS"), "utf8"));
  }
  t.regex(sums[0] ?? "", /oci\.tar$/m);
  t.is(sums[0], sums[1]);
});
