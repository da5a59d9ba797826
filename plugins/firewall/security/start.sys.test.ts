/** What a run leaves behind is not code of the next one, and its signals do not reach awf. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "ava";
import { awf, outputOf } from "../testing/security/attempts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

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

  test(`a signal to the command's process group does not reach the caller (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const words = ["-c", '"$@"; echo "caller $?"', "sh", process.execPath, awf, ...quiet, "--"];
    const { stdout } = await world.start("/bin/sh", [...words, "kill -9 0"], { ordinary }).result;
    t.is(stdout, "caller 137\n");
  });

  test(`a file as standard input cannot be changed, a directory is refused (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const file = join(world.scratch, "input");
    writeFileSync(file, "input\n".repeat(100_000), { mode: 0o666 });
    const call = `${process.execPath} ${awf} ${quiet.join(" ")} --`;
    const command = "wc -c < /dev/stdin; ls /proc/self/fd | wc -l; echo evil > /proc/self/fd/0";
    const line = `${call} '{ ${command}; } 2>/dev/null' < ${file}; ${call} ls </; echo $?`;
    const { stdout, stderr } = await world.start("/bin/sh", ["-c", line], { ordinary }).result;
    t.is(stdout, "600000\n4\n1\n");
    t.regex(stderr, /\[ERROR\] The standard input is a directory/);
    t.is(readFileSync(file, "utf8").length, 600_000);
  });

  test(`the control socket of a daemon is out of reach under its final name (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    mkdirSync(join(world.workspace, "run"));
    const serve = `
import os, socket, sys, time
d = sys.argv[1]; s = socket.socket(socket.AF_UNIX); s.bind(d + "/.a"); s.listen(); os.chmod(d + "/.a", 0o777)
os.rename(d + "/.a", d + "/control.sock"); print("up", flush=True); time.sleep(600)`;
    const server = world.start("/usr/bin/python3", ["-c", serve, join(world.workspace, "run")]);
    await outputOf(server, "up");
    const connect = `import socket; print(socket.socket(socket.AF_UNIX).connect_ex("run/control.sock"))`;
    const { stdout } = await world.awf(
      [...quiet, "--container-workdir", world.workspace, "--", `/usr/bin/python3 -c '${connect}'`],
      { ordinary },
    );
    server.child.kill("SIGKILL");
    await server.result;
    t.regex(stdout, /^(13|111)\n$/);
  });

  test(`directories of the user's PATH and the Node that runs awf are read-only (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const [inHome, inWorkspace] = [
      join(world.home, "tools/bin"),
      join(world.workspace, "tools/bin"),
    ];
    for (const path of [inHome, inWorkspace]) mkdirSync(path, { recursive: true });
    const PATH = `${inHome}:${inWorkspace}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const node = dirname(process.execPath);
    const script = `
      touch ${inHome}/x; touch ${inWorkspace}/x; touch ${node}/x
      mv ${world.home}/tools ~/t; mkdir -p ${inHome}; touch ${inHome}/x
      mv ${world.workspace}/tools ${world.workspace}/t; mkdir -p ${inWorkspace}; touch ${inWorkspace}/x`;
    await world.awf([...quiet, "--", `{ ${script}\n} 2>/dev/null`], {
      ordinary,
      environment: { PATH },
    });
    for (const path of [inHome, inWorkspace, node]) t.false(existsSync(join(path, "x")), path);
  });
}
