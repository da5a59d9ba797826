/** Directories of tests, gone when the test ends. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Ending } from "./child.js";
import { remove } from "./remove.js";

/** An empty directory with these files, by path. */
export function folder(
  t: Ending,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "reeve-")));
  t.teardown(() => remove(directory));
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return directory;
}
