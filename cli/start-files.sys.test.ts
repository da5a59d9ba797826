/** The installed commands: no argument and no signal of a user reaches Node itself. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { run as startProgram } from "../tests/support/child.js";
import { folder } from "./testing/reeve.js";
import { running } from "./testing/running.js";

const names = ["awf", "reeve", "webhook"];
const bundled = (name: string) => fileURLToPath(new URL(`../bundle/${name}.js`, import.meta.url));

async function runIn(cwd: string, program: string, words: readonly string[]) {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  return await startProgram(program, words, { cwd, env: { PATH, HOME: cwd } });
}

/** A directory with files that make Node run code if it reads one of its own options. */
function trapped(t: ExecutionContext): string {
  const cwd = folder(t, {
    "evil.cjs": 'require("node:fs").writeFileSync("ran", process.argv.join(" "));',
    ".env": "NODE_OPTIONS=--require ./evil.cjs\n",
    "node.config.json": '{"nodeOptions": {"require": ["./evil.cjs"], "import": ["./evil.cjs"]}}',
  });
  for (const name of names) symlinkSync(bundled(name), join(cwd, name));
  return cwd;
}

const nodeOptions = [
  ["--env-file", ".env"],
  ["--env-file=.env"],
  ["--env-file-if-exists=.env"],
  ["--experimental-default-config-file"],
  ["--experimental-config-file=node.config.json"],
  ["--require", "./evil.cjs"],
  ["--inspect-brk=127.0.0.1:0"],
];
for (const name of names) {
  for (const words of nodeOptions) {
    test(`\`${name} … ${words.join(" ")}\` is no option of Node`, async (t) => {
      t.timeout(90_000);
      const cwd = trapped(t);
      for (const before of [[], ["--"]]) {
        const { stderr } = await runIn(cwd, `./${name}`, ["--version", ...before, ...words]);
        t.notRegex(stderr, /Debugger|evil/);
        t.false(existsSync(join(cwd, "ran")));
      }
    });
  }
}

test("arguments arrive unchanged, by a link, by a shell and by Node", async (t) => {
  t.timeout(90_000);
  const cwd = folder(t, {});
  const words = ["a b", "", "$x", "`id`", "'", '"', "\\", "--", ":", "é", "*", "a\nb"];
  const many = [...words, ...Array.from({ length: 1000 }, (_, index) => String(index))];
  const show = "console.log(JSON.stringify(process.argv.slice(2)))";
  // The start lines of a command before another program.
  const lines = readFileSync(bundled("awf"), "utf8").split("\n").slice(0, 3);
  writeFileSync(join(cwd, "show.mjs"), [...lines, show, ""].join("\n"), { mode: 0o755 });
  symlinkSync("show.mjs", join(cwd, "linked"));
  for (const [program, first] of [
    ["./linked", []],
    ["./show.mjs", []],
    ["sh", ["./show.mjs"]],
    [process.execPath, ["show.mjs"]],
  ] as const) {
    const { stdout } = await runIn(cwd, program, [...first, ...many]);
    t.deepEqual(JSON.parse(stdout), many, program);
  }
});

test("SIGUSR1 does not open Node's debugger in a daemon", async (t) => {
  const daemon = await running(t, folder(t, { "main.reeve": "" }), ["main.reeve"]);
  daemon.child.kill("SIGUSR1");
  await daemon.reeve("status");
  t.is(await daemon.end(), 0);
  t.notRegex(daemon.stderr, /Debugger/);
});
