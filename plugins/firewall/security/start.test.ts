/** What a run leaves behind is not code of the next one, and its signals do not reach awf. */
import test from "ava";
import { awf, outputOf } from "../testing/security/attempts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(60_000));

const quiet = ["--log-level", "error"];

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`SIGUSR1 does not open Node's debugger (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const started = world.start(process.execPath, [awf, ...quiet, "--", "echo up; cat"], {
      ordinary,
      stdin: "open",
    });
    await outputOf(started, "up");
    started.child.kill("SIGUSR1");
    started.child.stdin?.end("end\n");
    t.deepEqual(await started.result, {
      code: 0,
      signal: null,
      stdout: "up\nend\n",
      stderr: "Process exiting with code: 0\n",
    });
  });
}
