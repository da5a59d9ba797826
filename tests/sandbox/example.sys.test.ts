/** The example of sandboxes does what its page says. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { running } from "../../cli/testing/running.js";

test("examples/sandbox keeps a command from the network and says so", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "reeve-example-"));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  cpSync("examples/sandbox", directory, { recursive: true });
  const daemon = await running(t, directory);
  const line = "curl -sSf https://example.org 2>/dev/null || echo no way out";
  const run = await daemon.reeve("sandbox", "run", "offline", "--", line);
  t.is(run.stdout, "no way out\n", run.stderr);
  const logs = await daemon.reeve("sandbox", "logs", "offline");
  t.regex(logs.stdout, /CONNECT example\.org → 403 \(DENIED\)/);
});
