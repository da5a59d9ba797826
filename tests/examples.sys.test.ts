/** Every example that is a configuration is free of faults, laid out as `fmt` would, and its own tests hold. */
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "ava";
import { command } from "./support/command.js";

/** Packages of their own have tests of their own: `tests/third-party-plugin.sys.test.ts` installs and runs them. */
const isPackage = (path: string): boolean => existsSync(join(dirname(path), "package.json"));

const examples = globSync("examples/*/main.reeve")
  .filter((path) => !isPackage(path))
  .sort();

test("there are examples", (t) => {
  t.true(examples.includes("examples/quickstart/main.reeve"));
});

/** Without addresses that another process of this machine has at present. */
const findings = (json: string): readonly unknown[] =>
  (JSON.parse(json) as { diagnostics: ReadonlyArray<{ code: string }> }).diagnostics.filter(
    ({ code }) => code !== "E513",
  );

for (const example of examples) {
  test(`${dirname(example)} is in order`, async (t) => {
    const check = await command(["check", "--format", "json", example]);
    t.is(check.code, 0, check.stderr);
    t.deepEqual(findings(check.stdout), []);
    const layout = await command(["fmt", "--check", example]);
    t.is(layout.code, 0, layout.stdout + layout.stderr);
  });
}
