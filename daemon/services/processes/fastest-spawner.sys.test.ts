import { fileURLToPath } from "node:url";
import test from "ava";
import { runSync } from "../../../tests/support/child.js";
import { temporaryDirectory } from "../testing/services.js";
import { isSupported } from "./direct/libc.js";

const single = fileURLToPath(new URL("../testing/single.js", import.meta.url));

const run = (
  directory: string,
  ...flags: string[]
): { readonly code: number | null; readonly lines: readonly string[] } => {
  const { code, stdout } = runSync(process.execPath, [...flags, single, directory]);
  return { code, lines: stdout.trimEnd().split("\n") };
};

test("where native code may not be loaded, commands run all the same", (t) => {
  const { code, lines } = run(temporaryDirectory(t), "--no-addons");
  t.deepEqual(lines, ["before: no", "exited: hello", "after: no"]);
  t.is(code, 0);
});

if (isSupported) {
  test("native code is loaded at the first command, and not before", (t) => {
    const { code, lines } = run(temporaryDirectory(t));
    t.deepEqual(lines, ["before: no", "exited: hello", "after: yes"]);
    t.is(code, 0);
  });
}
