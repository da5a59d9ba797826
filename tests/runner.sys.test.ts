/** The runner on small suites: whatever a file does, it is named, what it left is ended, and the run goes on and ends. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type Child, child } from "./support/child.js";
import { eventually } from "./support/eventually.js";
import { folder } from "./support/folder.js";
import { needs, rootUser } from "./support/needs.js";

/** Seconds that no other run of this test has. */
const sleeps = (which: number): string => `${1_000_000 + process.pid}.${which}`;

const IMPORT = 'import test from "ava";\n';
const PASSES = `${IMPORT}test("one", (t) => t.pass());\ntest("two", (t) => t.pass());\n`;
/** Starts a process that leaves the group and session of the test. */
const LEAKS = `${IMPORT}import { spawn } from "node:child_process";
test("leaks", (t) => {
  spawn("sleep", ["SECONDS"], { detached: true, stdio: "ignore", env: ENV }).unref();
  t.pass();
});
`;

const asRoot = needs(test, rootUser);

interface Suite {
  readonly directory: string;
  readonly temporary: string;
  start(): Child;
  /** Runs it to its end. */
  run(): Promise<{ readonly code: unknown; readonly shown: string; readonly last: string }>;
}

/** A project with these test files and the settings of this one. */
function suite(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  limits: Readonly<Record<string, string>> = {},
): Suite {
  const settings = JSON.stringify(resolve("ava.config.mjs"));
  const directory = folder(t, {
    "package.json": '{ "type": "module" }',
    "ava.config.mjs": `export { default } from ${settings};\n`,
    "tmp/.keep": "",
    ...Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`dist/${name}.test.js`, text]),
    ),
  });
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
  const temporary = join(directory, "tmp");
  const start = () =>
    child(t, process.execPath, [resolve("scripts/test.mjs"), "--tier", "unit"], {
      cwd: directory,
      env: {
        PATH: `${resolve("node_modules/.bin")}:${process.env.PATH}`,
        TMPDIR: temporary,
        NO_COLOR: "1",
        ...limits,
      },
    });
  return {
    directory,
    temporary,
    start,
    async run() {
      const runner = start();
      const code = await runner.ended;
      const shown = runner.stdout + runner.stderr;
      t.deepEqual(readdirSync(temporary), [".keep"], "the directory of the run is gone");
      return { code, shown, last: runner.stdout.trim().split("\n").at(-1) ?? "" };
    },
  };
}

/** Processes with these words anywhere on this machine. */
const running = (words: string): readonly string[] =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(words);
    } catch {
      return false;
    }
  });

test("a suite that passes", async (t) => {
  const { code, last, shown } = await suite(t, { passes: PASSES, also: PASSES }).run();
  t.is(code, 0, shown);
  t.is(last, "4 passed, 0 failed");
  t.regex(shown, /^2 files, \d+ s of processor time\.$/m);
});

test("a test that fails", async (t) => {
  const fails = `${IMPORT}test("no", (t) => t.fail());\n`;
  const { code, last } = await suite(t, { fails, passes: PASSES }).run();
  t.is(code, 1);
  t.is(last, "2 passed, 1 failed");
});

for (const [how, environment] of [
  ["with the environment of the test", "process.env"],
  ["with an empty environment", "{}"],
] as const)
  test(`a file that leaves a process ${how}`, async (t) => {
    const seconds = sleeps(environment === "{}" ? 1 : 2);
    const leaks = LEAKS.replace("ENV", environment).replace("SECONDS", seconds);
    const { code, shown, last } = await suite(t, { leaks, passes: PASSES }).run();
    t.is(code, 1);
    t.regex(shown, new RegExp(`✘ dist/leaks\\.test\\.js left processes: sleep ${seconds}`));
    t.is(last, "3 passed, 1 failed");
    t.deepEqual(running(`sleep\u0000${seconds}`), []);
  });

test("a file that leaves temporary files", async (t) => {
  const leaves = `${IMPORT}import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
test("leaves", (t) => t.truthy(mkdtempSync(tmpdir() + "/left-")));\n`;
  const { code, shown } = await suite(t, { leaves, passes: PASSES }).run();
  t.is(code, 1);
  t.regex(shown, /✘ dist\/leaves\.test\.js left temporary files: left-/);
});

asRoot("a file that leaves a mount", async (t) => {
  const mounts = `${IMPORT}import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
test("mounts", (t) => {
  mkdirSync(tmpdir() + "/mounted");
  t.is(spawnSync("mount", ["-t", "tmpfs", "left", tmpdir() + "/mounted"]).status, 0);
});\n`;
  const { code, shown } = await suite(t, { mounts, passes: PASSES }).run();
  t.is(code, 1);
  t.regex(shown, /✘ dist\/mounts\.test\.js cannot be cleaned up after: .*busy/);
  t.regex(shown, /✘ left by the run: \/.*\/mounted\n/);
  t.regex(shown, /^3 passed, [23] failed$/m);
});

test("a test that never ends, with a child of its own", async (t) => {
  const hangs = `${IMPORT}import { spawn } from "node:child_process";
test("hangs", () => new Promise((resolve) => spawn("sleep", ["${sleeps(3)}"]).on("close", resolve)));\n`;
  const { code, shown, last } = await suite(
    t,
    { hangs, passes: PASSES },
    { REEVE_TEST_SILENCE: "3000" },
  ).run();
  t.is(code, 1);
  t.regex(shown, /✘ dist\/hangs\.test\.js made no progress for 3 s: sleep \d+\.3/);
  t.regex(last, /^2 passed, [1-9] failed$/);
  t.deepEqual(running(`sleep\u0000${sleeps(3)}`), []);
});

test("a file that runs on after its last test", async (t) => {
  const lives = `${PASSES}setInterval(() => undefined, 1000);\n`;
  const { code, shown, last } = await suite(
    t,
    { lives, passes: PASSES },
    { REEVE_TEST_ENDING: "2000" },
  ).run();
  t.is(code, 1);
  t.regex(shown, /✘ dist\/lives\.test\.js still ran 2 s after its last test:.*1 × Timeout/);
  t.regex(last, /^4 passed, [1-9] failed$/);
});

test("a file whose main thread is blocked", async (t) => {
  const blocks = `${IMPORT}test("blocks", () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});\n`;
  const { code, shown, last } = await suite(
    t,
    { blocks, passes: PASSES },
    { REEVE_TEST_SILENCE: "3000" },
  ).run();
  t.is(code, 1);
  const fault = "made no progress for 3 s: its main thread does not answer";
  t.true(shown.includes(`✘ dist/blocks.test.js ${fault}`), shown);
  t.regex(last, /^2 passed, [1-9] failed$/);
});

test("a file that crashes", async (t) => {
  const crashes = `${IMPORT}test("crashes", (t) => { t.pass(); process.kill(process.pid, "SIGSEGV"); });\n`;
  const { code, shown, last } = await suite(t, { crashes, passes: PASSES }).run();
  t.is(code, 1);
  t.regex(shown, /crashes\.test\.js exited due to SIGSEGV/);
  t.regex(last, /^[23] passed, [1-9] failed$/);
});

asRoot("a file that removes temporary files of another user", async (t) => {
  const removes = `${PASSES}import { globSync, rmSync } from "node:fs";
test.after(() => {
  for (const path of globSync(\`\${process.env.TMPDIR}/awf-*\`)) rmSync(path, { recursive: true });
});\n`;
  const { code, shown } = await suite(t, { removes, passes: PASSES }).run();
  t.is(code, 1);
  t.regex(shown, /✘ dist\/removes\.test\.js removed files of another user: awf-\d+\/pid/);
});

test("a rejected promise after the end", async (t) => {
  const late = `${PASSES}test.after(() => {
  setTimeout(() => Promise.reject(new Error("nothing waits for it")), 300);
});\n`;
  const { code, shown } = await suite(t, { late, passes: PASSES }).run();
  t.is(code, 1);
  t.regex(shown, /✘ dist\/late\.test\.js rejected a promise that nothing handles:/);
  t.regex(shown, /nothing waits for it/);
});

test("a runner that is killed leaves nothing", async (t) => {
  const hangs = LEAKS.replace("ENV", "process.env")
    .replace("SECONDS", sleeps(4))
    .replace("t.pass();", "return new Promise(() => setInterval(() => t, 1000));");
  const at = suite(t, { hangs });
  const socket = `/run/reeve/test-${process.pid}.sock`;
  writeFileSync(join(at.directory, "README.md"), `The daemon listens on ${socket}.\n`);
  const runner = at.start();
  await eventually(
    "the process of the test",
    () => running(`sleep\u0000${sleeps(4)}`).length === 1,
  );
  t.is(existsSync(socket), process.getuid?.() === 0, "as root, the runner holds it");
  runner.kill("SIGKILL");
  await runner.ended;
  await eventually(
    "the end of its processes",
    () => running(`sleep\u0000${sleeps(4)}`).length === 0,
  );
  await eventually("the end of its directory", () => readdirSync(at.temporary).length === 1);
  t.false(existsSync(socket));
  t.false(readFileSync("/proc/mounts", "utf8").includes(at.temporary));
});
