import { globSync, readFileSync } from "node:fs";
import test from "ava";
import { load } from "../config/load.js";
import { createCatalog } from "./catalog.js";
import { CATALOG_CODES } from "./codes.js";
import { writeTree } from "./testing/tree.js";

test.serial("every code that is used is in the catalogue, and every code in it is used", (t) => {
  const sources = globSync("daemon/catalog/**/*.ts").filter(
    (path) => !/\.test\.ts$|codes\.ts$/.test(path),
  );
  const used = new Set(
    sources.flatMap((path) => readFileSync(path, "utf8").match(/(?<=")[EW]\d{3}(?=")/g) ?? []),
  );
  t.deepEqual([...used].sort(), Object.keys(CATALOG_CODES).sort());
});

for (const [code, { title, example }] of Object.entries(CATALOG_CODES)) {
  test.serial(`the example of ${code} (${title}) has it, and no other error`, async (t) => {
    const files = typeof example === "string" ? { "main.reeve": example } : example();
    const catalog = createCatalog({ builtins: [] });
    t.teardown(() => catalog.close());
    const { diagnostics } = await load(writeTree(t, files, "main.reeve"), { catalog });
    t.deepEqual(
      diagnostics.map((each) => each.code),
      [code],
    );
    t.truthy(diagnostics[0]?.location);
  });
}
