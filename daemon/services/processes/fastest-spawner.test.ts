import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "ava";
import { temporaryDirectory } from "../testing/services.js";
import { isSupported } from "./direct/libc.js";

const single = fileURLToPath(new URL("../testing/single.js", import.meta.url));

const run = (
  directory: string,
  ...flags: string[]
): { readonly status: number | null; readonly lines: readonly string[] } => {
  const { status, stdout } = spawnSync(process.execPath, [...flags, single, directory], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n") };
};

test("where native code may not be loaded, commands run all the same", (t) => {
  const { status, lines } = run(temporaryDirectory(t), "--no-addons");
  t.deepEqual(lines, ["before: no", "exited: hello", "after: no"]);
  t.is(status, 0);
});

if (isSupported) {
  test("native code is loaded at the first command, and not before", (t) => {
    const { status, lines } = run(temporaryDirectory(t));
    t.deepEqual(lines, ["before: no", "exited: hello", "after: yes"]);
    t.is(status, 0);
  });
}
