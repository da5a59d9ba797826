import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext } from "ava";

/** A directory that is gone after the test. */
export async function temporaryDirectory(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
