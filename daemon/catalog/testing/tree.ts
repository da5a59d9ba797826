/** Files on a real disk for one test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExecutionContext } from "ava";

/** A directory of the test's own, removed after it, with `files` in it. Returns the path of `wanted` in it. */
export function writeTree(
  t: Pick<ExecutionContext, "teardown">,
  files: Readonly<Record<string, string>>,
  wanted = "",
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reeve-")));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return join(folder, wanted);
}
