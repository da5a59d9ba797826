/** What a run leaves behind is not code of the next one, and its signals do not reach awf. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf, outputOf } from "../testing/security/attempts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(60_000));

const helpers = ["bwrap", "ip", "mkfifo", "mount", "nsenter", "script", "setpriv", "sh", "unshare"];
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

  test(`programs of the user's PATH are not run outside the sandbox (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const [bin, ran] = [join(world.home, "bin"), join(world.scratch, "ran")];
    mkdirSync(bin);
    for (const name of helpers) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\necho ${name} >> ${ran}\nexec /usr/bin/${name} "$@"\n`,
      );
      chmodSync(join(bin, name), 0o755);
    }
    const environment = { PATH: `${bin}:/usr/sbin:/usr/bin:/sbin:/bin` };
    const { code, stdout } = await world.awf([...quiet, "--tty", "--", "setpriv --version"], {
      ...{ ordinary, environment },
    });
    t.deepEqual([code, /setpriv from/.test(stdout)], [0, true]);
    t.false(existsSync(ran));
  });
}
