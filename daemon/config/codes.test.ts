import { globSync, readFileSync } from "node:fs";
import test from "ava";
import type { ConfigurationCode } from "./codes/entry.js";
import { programCodes } from "./codes/program.js";
import { CONFIG_CODES } from "./codes.js";
import { resolveSecrets } from "./secrets.js";
import { loadFiles } from "./testing/load-files.js";

const catalogue: Readonly<Record<string, ConfigurationCode>> = CONFIG_CODES;

test("every code that is used is in the catalogue, and every code in it is used", (t) => {
  const sources = globSync("daemon/config/**/*.ts").filter(
    (path) => !/\.test\.ts$|\/codes\/|\/cases\//.test(path),
  );
  const used = new Set(
    sources.flatMap((path) => readFileSync(path, "utf8").match(/(?<=")[EW]\d{3}(?=")/g) ?? []),
  );
  t.true(used.size > 50);
  t.deepEqual([...used].sort(), Object.keys(catalogue).sort());
});

for (const [code, { title, example }] of Object.entries(catalogue)) {
  // tests/diagnostics.sys.test.ts runs those that need real plugins.
  if (code in programCodes) continue;
  test(`the example of ${code} (${title}) has it, and no other error`, async (t) => {
    const files = typeof example === "string" ? { "main.reeve": example } : example();
    const { program, diagnostics } = await loadFiles(files);
    const resolved = program && (await resolveSecrets(program, unreadable));
    const codes = [...diagnostics, ...(resolved?.diagnostics ?? [])].map((each) => each.code);
    t.deepEqual([...new Set(codes)], [code]);
  });
}

const unreadable = (reference: string): Promise<string> =>
  Promise.reject(new Error(`${reference} is not there`));
