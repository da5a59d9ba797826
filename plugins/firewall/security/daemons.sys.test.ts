/** Daemons of Reeve that run: a command changes nothing that they run, and has no way to command them. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { REEVE } from "../../../tests/support/commands.js";
import { awf, outputOf } from "../testing/security/attempts.js";
import {
  createTestInternet,
  type StartedProgram,
  type TestInternet,
} from "../testing/test-internet.js";

// Starting daemons and many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const quiet = ["--log-level", "error"];

interface Daemon {
  readonly started: StartedProgram;
  readonly root: string;
  readonly state: string;
  readonly socket: string;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A daemon with all that it has in one directory, unless it is given other ones. */
async function daemon(
  t: ExecutionContext,
  world: TestInternet,
  ordinary: boolean,
  directory: string,
  { state = join(directory, "state"), socket = join(directory, "c.sock") } = {},
): Promise<Daemon> {
  mkdirSync(directory, { recursive: true });
  const root = join(directory, "main.reeve");
  if (!existsSync(root)) writeFileSync(root, 'import "./more.reeve"\n');
  writeFileSync(join(directory, "more.reeve"), 'sandbox "a" {}\n');
  const words = [REEVE, "up", directory, "--control", socket, "--state", state];
  const started = world.start(process.execPath, [...words, "--log-format", "text"], { ordinary });
  const end = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    started.child.kill(signal);
    await started.result;
  };
  t.teardown(() => end());
  await started.program.says(/Ctrl-C stops|"control":/);
  return { started, root, state, socket, end };
}

/** Prints the status of the first answer on a socket, or the number of the error. */
const ask = (socket: string) =>
  `/usr/bin/python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); e = s.connect_ex(sys.argv[1])
if e: print(e)
else:
    s.sendall(b"GET /v1/status HTTP/1.1\\r\\nhost: reeve\\r\\n\\r\\n"); print(s.recv(99).split(b" ")[1].decode())' ${socket}`;

const attack = (root: string) =>
  `{ echo evil >> ${root}; echo evil > ${root}~; mv ${root}~ ${root}; rm -f ${root}; echo evil > ${root}.new; } 2>/dev/null`;

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`the configuration of a running daemon stays as it is, wherever it is writable (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home, workspace, scratch } = world;
    const [opened, shared] = [join(scratch, "opened"), join(scratch, "shared")];
    const directories = [home, workspace, opened, shared].map((path) => join(path, "deep/host"));
    const daemons = [];
    for (const each of directories) daemons.push(await daemon(t, world, ordinary, each));
    const [first, second, third, fourth] = directories as [string, string, string, string];
    const files = [first, second, third].flatMap((path) =>
      ["main.reeve", "more.reeve"].map((name) => join(path, name)),
    );
    const moved = [first, second, third].map(
      (path) => `mv ${dirname(path)} ${dirname(path)}2; mkdir -p ${path}; touch ${path}/x`,
    );
    const script = [...files.map(attack), ...moved, attack("/mnt/shared/deep/host/main.reeve")];
    const line = `{ ${script.join("\n")}\n} 2>/dev/null`;
    const volume = ["-v", `${shared}:/mnt/shared:rw`];
    await world.awf([...quiet, ...volume, "--", line], { ordinary });
    await world.awf([...quiet, ...["--allow-write", opened], "--", line], { ordinary });
    await world.awf([...quiet, ...["-v", `${fourth}:/mnt/shared/deep/host:rw`], "--", line], {
      ordinary,
    });
    for (const directory of directories) {
      const names = readdirSync(directory).sort();
      t.deepEqual(names, ["c.sock", "main.reeve", "more.reeve", "state"], directory);
      t.is(readFileSync(join(directory, "main.reeve"), "utf8"), 'import "./more.reeve"\n');
      t.is(readFileSync(join(directory, "more.reeve"), "utf8"), 'sandbox "a" {}\n');
    }
    for (const each of daemons) await each.end();
  });

  test(`a command that starts in the configuration of a daemon changes it only by name (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace } = world;
    const scripts = join(workspace, "scripts");
    mkdirSync(scripts);
    const { root, end } = await daemon(t, world, ordinary, workspace);
    const script = `echo "# evil" >> ${root}; echo evil > ${scripts}/x; true`;
    for (const directory of [workspace, scripts]) {
      const { stderr } = await world.awf(["--log-level", "warn", "--", script], {
        ordinary,
        directory,
      });
      const [warning, ...more] = stderr.split("\n").filter((each) => /\[WARN\]/.test(each));
      t.regex(warning ?? "", /is read-only: a running daemon \(process \d+\) reads its config/);
      t.true(warning?.includes(`--allow-write ${directory} lets`), stderr);
      t.deepEqual(more, []);
      t.is(readFileSync(root, "utf8"), 'import "./more.reeve"\n');
      t.false(existsSync(join(scripts, "x")));
    }
    const allowed = await world.awf(
      ["--log-level", "warn", "--allow-write", workspace, "--", script],
      { ordinary },
    );
    t.notRegex(allowed.stderr, /WARN/);
    t.is(readFileSync(root, "utf8"), 'import "./more.reeve"\n# evil\n');
    t.true(existsSync(join(scripts, "x")));
    await end();
    writeFileSync(root, "");
    const ended = await world.awf(["--log-level", "warn", "--", script], { ordinary });
    t.notRegex(ended.stderr, /WARN/);
    t.is(readFileSync(root, "utf8"), "# evil\n");
  });

  test(`state and control socket of a running daemon are absent (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home, workspace, scratch } = world;
    const shared = join(scratch, "shared");
    mkdirSync(shared);
    const first = await daemon(t, world, ordinary, join(scratch, "one"), {
      state: join(workspace, "data/state"),
      socket: join(workspace, "c.sock"),
    });
    const second = await daemon(t, world, ordinary, join(scratch, "two"), {
      state: join(home, "data"),
      socket: join(home, "c.sock"),
    });
    const third = await daemon(t, world, ordinary, join(scratch, "three"), {
      state: join(shared, "data"),
      socket: join(shared, "c.sock"),
    });
    const sockets = [first.socket, second.socket, "/mnt/shared/c.sock"];
    const states = [first.state, second.state, "/mnt/shared/data"];
    const register = join(home, ".local/state/reeve/daemons");
    const line = `{ cat ${states.map((path) => `${path}/*`).join(" ")} ${register}/*; rm -rf ${register}; mkdir -p ${register}; touch ${register}/x; } 2>/dev/null | wc -c
      ${sockets.map((path) => ask(path)).join("\n")}`;
    const { stdout, stderr } = await world.awf(
      [...quiet, "-v", `${shared}:/mnt/shared:rw`, "--", line],
      { ordinary },
    );
    t.regex(stdout, /^0\n(?:(?:2|13|111)\n){3}$/, stderr);
    const entries = existsSync(register) ? readdirSync(register) : [];
    t.is(entries.filter((name) => /^[0-9a-f]{16}\.json$/.test(name)).length, ordinary ? 3 : 0);
    t.is(entries.length, ordinary ? 3 : 0);
    for (const each of [first, second, third]) await each.end("SIGTERM");
    t.deepEqual(existsSync(register) ? readdirSync(register) : [], []);
  });

  test(`a daemon that starts during the run refuses the command (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace } = world;
    const socket = join(workspace, "c.sock");
    const client = `import socket, time
print("up", flush=True); s = socket.socket(socket.AF_UNIX)
while s.connect_ex("c.sock"): time.sleep(0.01)
s.sendall(b"GET /v1/status HTTP/1.1\\r\\nhost: reeve\\r\\n\\r\\n"); print(s.recv(99).split(b" ")[1].decode())`;
    // Named sockets are not masked, so that the command is never too late.
    const named = ["--allow-socket", socket, "--container-workdir", workspace];
    const run = world.start(
      process.execPath,
      [awf, ...quiet, ...named, "--", `/usr/bin/python3 -c '${client}'`],
      { ordinary },
    );
    await outputOf(run, "up");
    const { started, end } = await daemon(t, world, ordinary, join(world.scratch, "host"), {
      socket,
    });
    const { stdout, stderr } = await run.result;
    t.is(stdout, "up\n403\n", stderr);
    const outside = world.start("/usr/bin/sh", ["-c", ask(socket)], { ordinary });
    t.is((await outside.result).stdout, "200\n");
    await end("SIGTERM");
    t.regex(started.program.stderr, /A client in another network namespace was refused/);
  });

  test(`commands of one daemon do not change the configuration of another (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, scratch } = world;
    const first = await daemon(t, world, ordinary, join(scratch, "one"));
    const second = await daemon(t, world, ordinary, join(workspace, "host"));
    for (const directory of [workspace, join(workspace, "host")]) {
      const script = `touch ${directory}/x; ${attack(second.root)}; cat ${second.state}/* | wc -c`;
      const words = ["sandbox", "run", "--control", first.socket, "a", "--", script];
      const run = world.start(process.execPath, [REEVE, ...words], { ordinary, directory });
      t.is((await run.result).stdout, "0\n");
    }
    t.true(existsSync(join(workspace, "x")));
    const names = readdirSync(join(workspace, "host")).sort();
    t.deepEqual(names, ["c.sock", "main.reeve", "more.reeve", "state"]);
    t.is(readFileSync(second.root, "utf8"), 'import "./more.reeve"\n');
    for (const each of [first, second]) await each.end();
  });
}

test(`only what a daemon of the user or of root has written counts (as an ordinary user)`, async (t) => {
  await using world = await createTestInternet({});
  const { home, workspace } = world;
  const { end } = await daemon(t, world, true, join(world.scratch, "host"));
  const register = join(home, ".local/state/reeve/daemons");
  const [name = ""] = readdirSync(register);
  const entry = JSON.parse(readFileSync(join(register, name), "utf8"));
  const text = JSON.stringify({ ...entry, root: join(workspace, "main.reeve") });
  const made = join(workspace, "x");
  const writes = async (): Promise<boolean> => {
    const script = `touch ${made} 2>/dev/null; echo ran`;
    const { stdout, stderr } = await world.awf([...quiet, "--", script], { ordinary: true });
    t.is(stdout, "ran\n", stderr);
    const isMade = existsSync(made);
    rmSync(made, { force: true });
    return isMade;
  };
  writeFileSync(join(register, name), text, { mode: 0o600 });
  t.false(await writes());
  const closed = join(world.scratch, "closed");
  mkdirSync(closed, { mode: 0o000 });
  const unreachable = { state: join(closed, "state"), control: join(closed, "c.sock") };
  writeFileSync(join(register, name), JSON.stringify({ ...JSON.parse(text), ...unreachable }));
  t.false(await writes());
  for (const wrong of ["", "{", "[]", text.replace('"format":1', '"format":2'), "null"]) {
    writeFileSync(join(register, name), wrong);
    t.true(await writes(), wrong);
  }
  writeFileSync(join(register, name), text);
  t.false(await writes());
  chmodSync(join(register, name), 0o622);
  t.true(await writes());
  chmodSync(join(register, name), 0o600);
  linkSync(join(register, name), join(world.scratch, "second"));
  t.true(await writes());
  rmSync(join(world.scratch, "second"));
  if (process.getuid?.() === 0) {
    chownSync(join(register, name), 4321, 4321);
    t.true(await writes());
    chownSync(join(register, name), 0, 0);
  }
  t.false(await writes());
  await end();
  t.true(await writes());
});
