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
test.beforeEach((t) => t.timeout(90_000));

const python = "/usr/bin/python3";

/**
 * Serves on each name given, relative to the first; the second part of `a=b` is the name that it gets by renaming. A name
 * that ends in `pipe` is a named pipe.
 */
const service = `
import os, socket, sys, time
os.chdir(sys.argv[1]); kept = []
for word in sys.argv[2:]:
    name, _, final = word.partition("=")
    if name.endswith("pipe"): os.mkfifo(name, 0o777); os.chmod(name, 0o777); kept.append(os.open(name, os.O_RDWR)); continue
    s = socket.socket(socket.AF_UNIX); s.bind(name); s.listen(100); kept.append(s); os.chmod(name, 0o777)
    if final: os.rename(name, final)
print("up", flush=True); time.sleep(600)`;

/** Prints whether each path accepts a connection or has a reader; with `until` first waits until none of them does. */
const client = `
import os, socket, stat, sys, time
def opens(path):
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode): os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)); return True
    except OSError: return False
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

/** Like a container that shares a directory. */
async function serveElsewhere(world: TestInternet, ...words: string[]): Promise<StartedProgram> {
  const network = ["--user", "--map-root-user", "--net", "--"];
  const started = world.start("/usr/bin/unshare", [...network, python, "-c", service, ...words]);
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

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`pipes, and sockets of other network namespaces, are hidden in writable and mounted directories (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home, scratch } = world;
    const [shared, data, opened] = ["shared", "data", "opened"].map((name) => join(scratch, name));
    const src = join(home, "src");
    for (const path of [shared, data, opened, src]) mkdirSync(path as string);
    const directories = [shared, data, opened, src, workspace] as string[];
    const names = directories.flatMap((path) =>
      ["a.sock", "a.pipe"].map((name) => join(path, name)),
    );
    const started = await serveElsewhere(world, workspace, ...names);
    const allowed = await serveElsewhere(world, workspace, "allowed.sock", "allowed.pipe");
    const ended = await serveElsewhere(world, workspace, "ended.sock");
    await end(ended);
    const inside = names.map((path) =>
      path.replace(`${shared}/`, "/mnt/shared/").replace(`${data}/`, "/mnt/data/"),
    );
    const reuse = `import os, socket; os.unlink("ended.sock"); s = socket.socket(socket.AF_UNIX); s.bind("ended.sock"); print("bound")`;
    const { stdout, stderr } = await world.awf(
      [
        ...["--log-level", "error", "-v", `${shared}:/mnt/shared`, "-v", `${data}:/mnt/data:ro`],
        ...["--allow-write", workspace, "--allow-write", opened as string, "--allow-write", src],
        ...["allowed.sock", "allowed.pipe"].flatMap((name) => [
          "--allow-socket",
          join(workspace, name),
        ]),
        ...["--container-workdir", workspace, "--"],
        `${python} -c ${quoted(client)} now ${inside.join(" ")}; ${python} -c ${quoted(client)} now allowed.sock allowed.pipe; ${python} -c ${quoted(reuse)}`,
      ],
      { ordinary },
    );
    await end(started, allowed);
    const refused = names.map(() => "False").join(" ");
    t.is(stdout, `${refused}\nTrue True\nbound\n`, stderr);
  });

  test(`the same, made during the run; the command's own are not hidden (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, scratch } = world;
    const shared = join(scratch, "shared");
    mkdirSync(shared);
    const own = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen(9)
d = socket.socket(socket.AF_UNIX); d.bind("brief.sock"); d.listen(9); d.close()
os.mkfifo("own.pipe"); p = os.open("own.pipe", os.O_RDWR); print("up", flush=True); input()`;
    const paths = ["late.sock", "late.pipe", "made/late.sock", "made/late.pipe"];
    const run = world.start(
      process.execPath,
      [
        ...[awf, "--log-level", "warn", "-v", `${shared}:/mnt/shared`],
        ...["--allow-socket", join(workspace, "allowed.sock"), "--container-workdir", workspace],
        "--",
        `mkdir made; ${python} -c ${quoted(own)} < <(sleep 600) & read; ${python} -c ${quoted(client)} until ${paths.join(" ")} /mnt/shared/late.sock /mnt/shared/late.pipe; ${python} -c ${quoted(client)} now own.sock own.pipe allowed.sock; rm brief.sock && echo removed`,
      ],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    const first = await serveElsewhere(world, workspace, ...paths, "allowed.sock");
    const second = await serveElsewhere(world, shared, "late.sock", "late.pipe");
    run.child.stdin?.end("\n");
    const { stdout, stderr } = await run.result;
    await end(first, second);
    const refused = [...paths, "", ""].map(() => "False").join(" ");
    t.is(stdout, `up\n${refused}\nTrue True True\nremoved\n`, stderr);
    t.regex(stderr, /Hidden while the command ran[^\n]*late\.pipe[^\n]*--allow-socket/);
    t.notRegex(stderr, /own\.pipe/);
  });

  test(`directories that are swapped for links divert no hiding (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace } = world;
    // Each pipe is hidden when it has been there for a tenth of a second; then its path leads to the programs that hide.
    const swap = `for i in $(seq 30); do mkdir a; mkfifo a/mount a/nsenter a/tar; sleep 0.05; mv a b$i; ln -s /usr/bin a; sleep 0.1; rm a; done`;
    const run = world.start(
      process.execPath,
      [
        ...[awf, "--log-level", "error", "--container-workdir", workspace, "--"],
        `${swap}; echo up; read; ${python} -c ${quoted(client)} until late.sock; /usr/bin/tar --version | head -1`,
      ],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    const late = await serve(world, workspace, "late.sock");
    run.child.stdin?.end("\n");
    const { stdout, stderr } = await run.result;
    await end(late);
    t.regex(stdout, /^up\nFalse\ntar /, stderr);
  });
}

test("--allow-socket refuses other files", async (t) => {
  await using world = await createTestInternet({});
  const { code, stderr } = await world.awf(["--allow-socket", "/etc/passwd", "--", "true"]);
  t.is(code, 1);
  t.is(stderr, "[ERROR] --allow-socket path is neither a socket nor a pipe: /etc/passwd\n");
});
