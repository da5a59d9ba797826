/** A daemon in a small Internet of its own, and commands in its sandboxes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { connect } from "../../cli/control/client.js";
import type { SandboxSummary } from "../../plugins/firewall/offline.js";
import {
  createTestInternet,
  type TestInternet,
} from "../../plugins/firewall/testing/test-internet.js";
import { REEVE } from "../support/commands.js";
import { eventually } from "../support/eventually.js";

// Real daemons and sandboxes: a small machine may take its time.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({
    "allowed.test": ["93.184.216.34"],
    "denied.test": ["93.184.216.35"],
  });
});
test.after.always(() => world[Symbol.asyncDispose]());

interface Daemon {
  readonly directory: string;
  readonly pid: number;
  /** Its log. */
  readonly stderr: string;
  reeve(words: readonly string[], stdin?: string): ReturnType<TestInternet["start"]>;
  edit(text: string): Promise<void>;
  sandboxes(): Promise<readonly SandboxSummary[]>;
  kill(): Promise<void>;
}

let daemons = 0;

async function daemon(t: ExecutionContext, text: string, earlier?: Daemon): Promise<Daemon> {
  daemons += 1;
  const directory = earlier?.directory ?? join(world.scratch, `daemon-${daemons}`);
  mkdirSync(directory, { recursive: true });
  const [root, socket] = [join(directory, "main.reeve"), join(directory, "c.sock")];
  writeFileSync(root, text);
  const words = ["up", directory, "--control", socket, "--state", join(directory, "state")];
  const { program, result } = world.start(process.execPath, [REEVE, ...words], { directory });
  const kill = async () => {
    program.kill("SIGKILL");
    await result;
  };
  t.teardown(kill);
  const control = connect({ control: socket });
  await eventually(
    "the daemon to be ready",
    async () => !program.isAlive || (await control.readiness()).ready,
  );
  if (!program.isAlive) throw new Error(program.stderr);
  return {
    directory,
    pid: program.pid,
    get stderr() {
      return program.stderr;
    },
    kill,
    reeve: ([group = "", verb = "", ...more], stdin = "") =>
      world.start(process.execPath, [REEVE, group, verb, "--control", socket, ...more], { stdin }),
    async edit(edited) {
      writeFileSync(root, edited);
      await control.reload();
    },
    sandboxes: async () =>
      (await control.get<{ sandboxes: readonly SandboxSummary[] }>("/v1/firewall/sandboxes"))
        .sandboxes,
  };
}

/** All processes below one, by what the kernel says of parents. */
function below(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const [, parent] = /^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`)) ?? [];
    parents.set(Number(name), Number(parent));
  }
  const found = [root];
  for (const pid of found) {
    for (const [child, parent] of parents) if (parent === pid) found.push(child);
  }
  return found.slice(1);
}

function entriesOf(directory: string): number {
  try {
    return readdirSync(directory).length;
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const block = (allow: string) => `sandbox "a" {\n  allow = [${allow}]\n  dns = ["8.8.8.8"]\n}\n`;

test("input, outputs, signals and the exit code go through, and only what is allowed is reached", async (t) => {
  const other = 'sandbox "b" {}\n';
  const hook = `hook_server "main" { listen = "127.0.0.1:9100" }
hook "x" {
  run = ["sh", "-c", "curl -s http://allowed.test/from-a-hook; curl -s http://denied.test/"]
  run_in = sandbox.c
  response {
    include_output = true
  }
}
sandbox "c" {
  allow = ["allowed.test"]
  dns = ["8.8.8.8"]
}
`;
  const { reeve, sandboxes } = await daemon(t, block('"allowed.test"') + other + hook);
  const line = "cat; curl -s http://allowed.test/x; curl -s http://denied.test/ >&2; exit 5";
  const { code, stdout, stderr } = await reeve(["sandbox", "run", "a", "--", line], "hello\n")
    .result;
  t.is(code, 5, stderr);
  t.regex(stdout, /^hello\n\{"host":"allowed.test","url":"\/x"/);
  t.regex(stderr, /Blocked by the firewall: denied\.test/);
  const logs = await reeve(["sandbox", "logs", "a"]).result;
  t.regex(
    logs.stdout,
    /GET allowed\.test → 200 \(ALLOWED\).* <PID:\d+ curl>\n.*denied\.test → 403 \(DENIED\)/,
  );
  const stats = await reeve(["sandbox", "stats", "a", "--json"]).result;
  t.like(JSON.parse(stats.stdout), { allowedRequests: 1, deniedRequests: 1 });
  const explain = await reeve(["sandbox", "explain", "a", "https://denied.test/"]).result;
  t.is(
    explain.stdout,
    "https://denied.test/: denied, domain not in allowlist (rule deny-default)\n",
  );
  const list = await reeve(["sandbox", "list"]).result;
  t.regex(list.stdout, /^SANDBOX.*\na +0 +1 +1 +1 /);
  const unknown = await reeve(["sandbox", "run", "d", "--", "true"]).result;
  t.is(unknown.code, 1);
  t.regex(unknown.stderr, /has no `sandbox "d"`/);
  t.regex(unknown.stderr, /It has: a, b, c\./);

  // A hook's command reaches what its sandbox allows, and nothing else.
  const words = ["-s", "-X", "POST", "http://127.0.0.1:9100/hooks/x"];
  const answer = await world.start("/usr/bin/curl", words).result;
  t.regex(answer.stdout, /"host":"allowed\.test","url":"\/from-a-hook"/);
  t.regex(answer.stdout, /Blocked by the firewall: denied\.test/);

  // A signal to the caller is one to the command.
  const trapping = "trap 'echo bye; exit 9' INT; echo up; while :; do sleep 0.05; done";
  const interrupted = reeve(["sandbox", "run", "b", "--", trapping]);
  await interrupted.program.says(/up\n/);
  interrupted.program.kill("SIGINT");
  t.like(await interrupted.result, { code: 9, stdout: "up\nbye\n" });

  // With its caller a command ends.
  const killed = reeve(["sandbox", "run", "b", "--", "echo up; exec sleep 1000"]);
  await killed.program.says(/up\n/);
  const running = async () => (await sandboxes()).find(({ name }) => name === "b")?.running.length;
  t.is(await running(), 1);
  killed.program.kill("SIGKILL");
  await killed.result;
  await t.notThrowsAsync(eventually("the command to end", async () => (await running()) === 0));
});

test("an edited list holds for a command that runs already", async (t) => {
  const { reeve, edit, directory } = await daemon(t, block(""));
  const ask = "curl -s -o /dev/null -w '%{http_code} ' http://allowed.test/";
  const wait = (name: string) => `until [ -e ${directory}/${name} ]; do sleep 0.05; done`;
  const line = `${ask}; ${wait("one")}; ${ask}; ${wait("two")}; ${ask}`;
  const { program, result } = reeve(["sandbox", "run", "a", "--", line]);
  await program.says(/403 /);
  await edit(block('"allowed.test"'));
  writeFileSync(join(directory, "one"), "");
  await program.says(/403 \d+ /);
  await edit(block(""));
  writeFileSync(join(directory, "two"), "");
  t.is((await result).stdout, "403 200 403 ");
});

test("a daemon that is killed leaves no process, and its next start no file", async (t) => {
  const text = block("");
  const { pid, kill, reeve, directory } = await daemon(t, text);
  const { program } = reeve([
    "sandbox",
    "run",
    "a",
    "--",
    "trap '' TERM; echo up; while :; do sleep 1; done",
  ]);
  await program.says(/up\n/);
  const temporary = join(directory, "state", "temporary", "plugins", "firewall");
  await eventually("its files", () => entriesOf(temporary) >= 3);
  const all = await eventually("the command, and two namespaces that wait", () => {
    const found = below(pid);
    return found.length >= 5 && found;
  });
  await kill();
  await eventually("all to end", () => !all.some((each) => existsSync(`/proc/${each}/root`)));
  t.true(entriesOf(temporary) > 0);
  const words = [
    "up",
    directory,
    "--control",
    join(directory, "d.sock"),
    "--state",
    join(directory, "state"),
  ];
  writeFileSync(join(directory, "main.reeve"), "");
  const again = world.start(process.execPath, [REEVE, ...words], { directory });
  await eventually("the files to be removed", () => entriesOf(temporary) === 0);
  again.child.kill("SIGTERM");
  await again.result;
});

test("what a command changed that was killed with its daemon is in the next one's log, and taken over when asked", async (t) => {
  const text = `sandbox "a" {\n  allow_write = ["${world.home}"]\n}\n`;
  const first = await daemon(t, text);
  const { program } = first.reeve([
    ...["sandbox", "run", "a", "--"],
    "echo work > ~/work; echo up; sleep 600",
  ]);
  await program.says(/up\n/);
  await first.kill();
  const second = await daemon(t, text, first);
  const [, id = "", state = ""] = await eventually("the line of the log", () =>
    /awf recover (\d+) --state ([^"\s]+)/.exec(second.stderr),
  );
  t.false(existsSync(join(world.home, "work")));
  t.is((await world.awf(["recover", id, "--state", state])).code, 0);
  t.is(readFileSync(join(world.home, "work"), "utf8"), "work\n");
});
