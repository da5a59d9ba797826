/** Sockets of the host that appear while a command runs, and those that the user allows. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf, outputOf } from "../testing/security/attempts.js";
import {
  createTestInternet,
  type StartedProgram,
  type TestInternet,
} from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(60_000));

const python = "/usr/bin/python3";

/** Serves on each name given, relative to the first; the second part of `a=b` is the name that it gets by renaming. */
const service = `
import os, socket, sys, time
os.chdir(sys.argv[1]); kept = []
for word in sys.argv[2:]:
    name, _, final = word.partition("=")
    s = socket.socket(socket.AF_UNIX); s.bind(name); s.listen(100); kept.append(s); os.chmod(name, 0o777)
    if final: os.rename(name, final)
print("up", flush=True); time.sleep(600)`;

/** Prints whether each path accepts a connection; with `until` first waits until none of them does. */
const client = `
import os, socket, sys, time
def opens(path):
    s = socket.socket(socket.AF_UNIX)
    try: return s.connect_ex(path) == 0
    finally: s.close()
paths = sys.argv[2:]
if sys.argv[1] == "until":
    while any(opens(path) for path in paths): time.sleep(0.05)
print(*[opens(path) for path in paths])`;

async function serve(world: TestInternet, ...words: string[]): Promise<StartedProgram> {
  const started = world.start(python, ["-c", service, ...words]);
  await outputOf(started, "up");
  return started;
}

async function end(...programs: readonly StartedProgram[]): Promise<void> {
  for (const { child, result } of programs) {
    child.kill("SIGKILL");
    await result;
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`sockets that the host opens during the run are hidden, the command's own are not (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home } = world;
    mkdirSync(join(workspace, "deep/er"), { recursive: true });
    mkdirSync(join(home, "src"));
    const paths = ["w.sock", "relative.sock", "deep/er/final.sock"].map((name) =>
      join(workspace, name),
    );
    const all = [...paths, join(home, "src/h.sock")];
    const own = `import socket; s = socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen(9); input()`;
    const run = world.start(
      process.execPath,
      [
        ...[awf, "--log-level", "error", "--container-workdir", workspace, "--"],
        `${python} -c ${quoted(own)} < <(sleep 600) & echo up; read; ${python} -c ${quoted(client)} until ${all.join(" ")}; ${python} -c ${quoted(client)} now own.sock`,
      ],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    const first = await serve(world, workspace, paths[0] ?? "", "relative.sock");
    const second = await serve(
      world,
      join(workspace, "deep/er"),
      `${workspace}/deep/er/.s=final.sock`,
    );
    const third = await serve(world, home, join(home, "src/h.sock"));
    run.child.stdin?.end("\n");
    const { stdout } = await run.result;
    await end(first, second, third);
    t.is(stdout, "up\nFalse False False False\nTrue\n");
  });

  test(`--allow-socket shows a socket, wherever it is, and no other (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home, scratch } = world;
    mkdirSync(join(home, ".config"));
    const [allowed, others] = ["allowed.sock", "other.sock"].map((name) =>
      [workspace, home, join(home, ".config"), scratch].map((path) => join(path, name)),
    ) as [string[], string[]];
    const started = await serve(world, scratch, ...allowed, ...others);
    const options = allowed.flatMap((path) => ["--allow-socket", path]);
    const { stdout, stderr } = await world.awf(
      [
        ...["--log-level", "error", ...options, "--"],
        `${python} -c ${quoted(client)} now ${[...allowed, ...others].join(" ")}`,
      ],
      { ordinary },
    );
    await end(started);
    t.is(stdout, "True True True True False False False False\n", stderr);
  });
}

test("--allow-socket refuses other files", async (t) => {
  await using world = await createTestInternet({});
  const { code, stderr } = await world.awf(["--allow-socket", "/etc/passwd", "--", "true"]);
  t.is(code, 1);
  t.is(stderr, "[ERROR] --allow-socket path is neither a socket nor a pipe: /etc/passwd\n");
});
