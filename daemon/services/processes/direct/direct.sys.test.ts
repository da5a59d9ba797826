import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import fc from "fast-check";
import { runs } from "../../../../tests/support/runs.js";
import { anyText } from "../../../../tests/support/text.js";
import type { ProcessRequest, ProcessResult } from "../../../plugin-api/processes.js";
import { Mask } from "../../mask.js";
import { temporaryDirectory } from "../../testing/services.js";
import { OwnedProcesses } from "../processes.js";
import { directSpawner } from "./direct.js";
import { isSupported } from "./libc.js";

async function run(request: ProcessRequest): Promise<ProcessResult> {
  const spawner = await directSpawner();
  if (!spawner) throw new Error("this host has no direct way");
  const { signal } = new AbortController();
  return new OwnedProcesses({ mask: new Mask(), spawner, cwd: "/", signal }).run(request);
}
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** An executable file, or one that is not. */
function file(directory: string, name: string, content: string, mode = 0o755): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

test("it is there wherever it is supported", async (t) => {
  t.is((await directSpawner()) !== undefined, isSupported);
});

if (isSupported) {
  test("a command gets no descriptor that this process was started with", async (t) => {
    const { load } = (await import("koffi")).default;
    const libc = load(null);
    const copy = libc.func("int dup(int descriptor)")(1) as number;
    t.teardown(() => libc.func("int close(int descriptor)")(copy));
    t.true(readdirSync("/proc/self/fd").includes(String(copy)));
    const script = `[ -e /proc/$$/fd/${copy} ] && echo there; echo end`;
    t.is(text((await run({ argv: ["/bin/sh", "-c", script] })).stdout), "end\n");
  });

  const awkward = fc.oneof(
    fc.constantFrom("", " ", "\n", "'", '"', "\\", "$(exit 1)", "`", "*", "-n", "é", "\u{1f980}"),
    anyText({ maxLength: 40 }),
  );
  const carried = awkward.map((value) => value.replaceAll("\0", ""));
  const name = fc
    .oneof(fc.constantFrom("__proto__", "a.b", "a b"), carried)
    .map((value) => value.replaceAll("=", ""))
    .filter((value) => value !== "");

  test("every text arrives as it is, in arguments and environment", async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(carried, { maxLength: 8 }),
        fc.dictionary(name, carried, { maxKeys: 8, noNullPrototype: true }),
        async (args, env) => {
          const argv = ["/bin/sh", "-c", "cat /proc/$$/cmdline /proc/$$/environ", "sh", ...args];
          const result = await run({ argv, env: { ...env, PATH: "/bin" }, inheritEnv: false });
          const pairs = Object.entries({ ...env, PATH: "/bin" }).map((pair) => pair.join("="));
          t.deepEqual(text(result.stdout).split("\0"), [...argv, ...pairs, ""]);
        },
      ),
      { numRuns: runs(15, 60) },
    );
  });

  test("a text that is no Unicode is carried with the sign for that, and nothing else is lost", async (t) => {
    const { stdout } = await run({ argv: ["/usr/bin/printf", "%s|", "a\ud800b", "next"] });
    t.is(text(stdout), "a\ufffdb|next|");
  });

  test("exit codes are exact, also those that look like signals", async (t) => {
    for (const code of [0, 1, 2, 126, 127, 128, 130, 137, 143, 255]) {
      const result = await run({ argv: ["/bin/sh", "-c", `exit ${code}`] });
      t.like(result, { outcome: "exited", exitCode: code, signal: undefined });
    }
  });

  test("signals are exact, and none is ignored or held back at the start", async (t) => {
    for (const signal of [
      "SIGHUP",
      "SIGINT",
      "SIGPIPE",
      "SIGKILL",
      "SIGTERM",
      "SIGABRT",
    ] as const) {
      const result = await run({
        argv: ["/bin/sh", "-c", `kill -${constants.signals[signal]} $$`],
      });
      t.like(result, { outcome: "killed", exitCode: undefined, signal });
    }
    const { stdout } = await run({ argv: ["grep", "-E", "Sig(Blk|Ign|Cgt)", "/proc/self/status"] });
    t.deepEqual(text(stdout).match(/[1-9a-f]+$/gm), null, text(stdout));
  });

  test("a command leads a group, has no terminal, and is given three descriptors", async (t) => {
    const own = "cut -d' ' -f5,7 /proc/$$/stat; echo $$";
    const descriptors = 'for n in $(seq 0 99); do [ ! -e /proc/$$/fd/$n ] || echo "$n"; done';
    const { stdout } = await run({ argv: ["/bin/sh", "-c", `${own}; ${descriptors}`] });
    const [groupAndTerminal, pid, ...open] = text(stdout).trimEnd().split("\n");
    t.is(groupAndTerminal, `${pid} 0`);
    t.deepEqual(
      // The shell keeps what it needs for itself from 10 on.
      open.filter((each) => Number(each) < 10),
      ["0", "1", "2"],
    );
  });

  test("a program is found as a shell would find it, in the command's own PATH", async (t) => {
    const directory = temporaryDirectory(t);
    const [first, second, here] = ["first", "second", "here"].map((each) => join(directory, each));
    const say = (word: string): string => `#!/bin/sh\necho ${word} "$0"\n`;
    const locked = file(first as string, "program", say("locked"), 0o644);
    const open = file(second as string, "program", say("found"));
    file(here as string, "local", say("local"));
    mkdirSync(join(first as string, "cat"));
    const found = async (argv: string[], PATH: string): Promise<string> => {
      const result = await run({ argv, cwd: here as string, env: { PATH }, inheritEnv: false });
      return result.error ?? text(result.stdout).trim();
    };
    t.is(await found(["program"], `${first}:${second}`), `found ${open}`);
    t.is(await found(["local"], `${first}:`), "local ./local");
    t.is(await found(["./local"], ""), "local ./local");
    t.is(await found(["cat", "/dev/null"], `${first}:/bin`), "", "a directory is no program");
    t.is(
      await found(["program"], first as string),
      `The program program cannot be started: permission denied (is it marked executable?).`,
      locked,
    );
  });

  test("a script that names no interpreter is the shell's", async (t) => {
    const script = file(temporaryDirectory(t), "script", 'echo "$0" "$1"\n');
    const { stdout } = await run({ argv: [script, "a  b"] });
    t.is(text(stdout), `${script} a  b\n`);
  });

  test("the arguments of others are never to be seen, nor a secret of the environment", async (t) => {
    const secret = { reveal: () => "not to be seen" } as never;
    const { stdout } = await run({
      argv: ["/bin/sh", "-c", "cat /proc/$PPID/cmdline /proc/$PPID/environ /proc/$$/cmdline"],
      env: { SECRET: secret },
    });
    t.true(stdout.length > 0);
    t.false(text(stdout).includes("not to be seen"));
  });

  test("no descriptor is left, whether commands ran or could not", async (t) => {
    const open = (): number => readdirSync("/proc/self/fd").length;
    await many(t, 5);
    const before = open();
    await many(t, 100);
    t.true(open() <= before + 3, `${before} were open before, ${open()} are now`);
  });

  async function many(t: ExecutionContext, times: number): Promise<void> {
    for (let each = 0; each < times; each += 1) {
      const [ran, failed] = await Promise.all([
        run({ argv: ["cat"], stdin: "x", output: "separate" }),
        run({ argv: ["/no/such"], stdin: "x" }),
      ]);
      t.is(ran.outcome, "exited");
      t.is(failed.outcome, "not_started");
    }
  }
}
