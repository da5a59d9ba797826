/** The program as a whole: what its words do, whatever the command. */
import type { StdioOptions } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { child } from "../tests/support/child.js";
import { commands } from "./commands/index.js";
import { refusalOf } from "./program/node-version.js";
import { folder, reeve } from "./testing/reeve.js";

const BIN = fileURLToPath(new URL("reeve.js", import.meta.url));

const { version, engines } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly version: string;
  readonly engines: { readonly node: string };
};

for (const words of [[], ["--help"], ["-h"], ["help"]]) {
  test(`\`reeve ${words.join(" ")}\` lists every command`, async (t) => {
    const { code, stdout, stderr } = await reeve(words);
    t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    for (const { name, summary } of commands) {
      t.regex(stdout, new RegExp(`^  ${name}\\b`, "m"));
      t.true(stdout.replaceAll(/\s+/g, " ").includes(summary), summary);
    }
  });
}

test("`reeve --version` is the version of the package", async (t) => {
  t.deepEqual(await reeve(["--version"]), { code: 0, stdout: `${version}\n`, stderr: "" });
});

test("a group without a command shows what there is, and is refused", async (t) => {
  const { code, stdout, stderr } = await reeve(["schema"]);
  t.deepEqual([code, stdout], [64, ""]);
  t.regex(stderr, /^Usage: reeve schema [\s\S]*\n {2}export {2}/);
});

test("a missing working directory is reported in a sentence", async (t) => {
  const cwd = folder(t, { "gone/x": "" });
  const gone = join(cwd, "gone");
  const node = `process.chdir(${JSON.stringify(gone)}); (await import("node:fs")).rmSync(${JSON.stringify(gone)}, { recursive: true })`;
  const ended = await reeve(["check"], {
    node: ["--import", `data:text/javascript,${encodeURIComponent(node)}`],
  });
  t.deepEqual(ended, {
    code: 66,
    stdout: "",
    stderr: "reeve: the working directory is not there any more\n",
  });
});

test("what a name brings along cannot move the cursor", async (t) => {
  const { code, stderr } = await reeve(["check", "a\u001b[2Jb\u0007"]);
  t.is(code, 66);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there.
  t.notRegex(stderr, /[\u0000-\u0009\u000b-\u001f]/);
});

test("`reeve help check` is `reeve check --help`", async (t) => {
  t.deepEqual(await reeve(["help", "check"]), await reeve(["check", "--help"]));
});

const usage = test.macro<[readonly string[], string]>({
  async exec(t, words, stderr) {
    t.deepEqual(await reeve(words), { code: 64, stdout: "", stderr });
  },
  title: (_, words = []) => `\`reeve ${words.join(" ")}\` is refused in a sentence`,
});
test(usage, ["chek"], "reeve: unknown command `chek`\nDid you mean `check`?\n");
test(usage, ["version"], "reeve: unknown command `version`\nDid you mean `reeve --version`?\n");
test(usage, ["frobnicate"], "reeve: unknown command `frobnicate`\nSee `reeve --help`.\n");
test(usage, ["help", "chek"], "reeve: unknown command `chek`\nDid you mean `check`?\n");
test(usage, ["chek", "--help"], "reeve: unknown command `chek`\nDid you mean `check`?\n");
test(usage, ["schema", "exprt", "-h"], "reeve: unknown command `exprt`\nDid you mean `export`?\n");
test(
  usage,
  ["check", "--formt", "json"],
  "reeve: unknown option `--formt`\nDid you mean `--format`?\n",
);
test(
  usage,
  ["check", "--format", "yaml"],
  "reeve: option `--format <WORD>` argument `yaml` is invalid. Allowed choices are text, json, sarif, github\nSee `reeve check --help`.\n",
);
test(
  usage,
  ["check", "--format"],
  "reeve: option `--format <WORD>` argument missing\nSee `reeve check --help`.\n",
);
test(
  usage,
  ["check", "a", "b"],
  "reeve: too many arguments for `check`. Expected 1 argument but got 2: a, b\nSee `reeve check --help`.\n",
);

test(
  usage,
  ["updates", "accounts", "list"],
  "reeve: too many arguments for `accounts`. Expected 0 arguments but got 1: list\nSee `reeve updates accounts --help`.\n",
);

const supported = test.macro<[string, boolean]>({
  exec: (t, node, runs) => t.is(refusalOf(node) === undefined, runs),
  title: (_, node, runs) => `Node ${node} ${runs ? "runs" : "does not run"} Reeve`,
});
test(supported, "18.20.0", false);
test(supported, "22.99.0", false);
test(supported, "24.11.1", false);
test(supported, "24.12.0", true);
test(supported, "25.9.0", false);
test(supported, "26.0.0", true);
test(supported, "31.2.0", true);

test("the package asks for the Node that the program asks for", (t) => {
  t.is(engines.node, "^24.12.0 || >=26.0.0");
});

test("an old Node is refused in one line", async (t) => {
  const old = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
  const node = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
  const { code, stdout, stderr } = await reeve(["check"], { node });
  t.deepEqual({ code, stdout }, { code: 69, stdout: "" });
  t.regex(stderr, /^reeve: this is Node 20\.20\.2, and Node 24\.12 .* is needed; see \S+\n$/);
});

test("the reader of the output may go away", async (t) => {
  const cwd = folder(t, { "main.reeve": "x = 1\n".repeat(2000) });
  const check = child(t, process.execPath, [BIN, "check", "--json"], { cwd });
  check.process.stdout?.destroy();
  const code = await check.ended;
  t.deepEqual({ code, stderr: check.stderr }, { code: 78, stderr: "" });
});

test("output that cannot be written is reported in a sentence", async (t) => {
  const cwd = folder(t, { "main.reeve": "" });
  const full = openSync("/dev/full", "w");
  t.teardown(() => closeSync(full));
  const stdio: StdioOptions = ["ignore", full, "pipe"];
  const check = child(t, process.execPath, [BIN, "check"], { cwd, stdio });
  const code = await check.ended;
  t.deepEqual(
    { code, stderr: check.stderr },
    { code: 73, stderr: "reeve: the output cannot be written: the disk is full\n" },
  );
});

test("an uncaught error is reported in a sentence", async (t) => {
  const later = `const write = process.stdout.write;
    process.stdout.write = function (...given) {
      setTimeout(() => { throw new Error("out of the blue") });
      return write.apply(this, given);
    };`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(later)}`];
  const { code, stderr } = await reeve(["--version"], { node });
  t.is(code, 70);
  t.regex(stderr, /^reeve: this should not have happened: out of the blue\nSet REEVE_DEBUG=1 /);
});

test("a bug is reported in a sentence, with details on request", async (t) => {
  const broken = 'process.cwd = () => { throw new TypeError("the floor is gone") }';
  const node = ["--import", `data:text/javascript,${encodeURIComponent(broken)}`];
  const short = await reeve(["check"], { node });
  t.deepEqual(short, {
    code: 70,
    stdout: "",
    stderr:
      "reeve: this should not have happened: the floor is gone\nSet REEVE_DEBUG=1 to see more, and please report it.\n",
  });
  const long = await reeve(["check"], { node, env: { REEVE_DEBUG: "1" } });
  t.is(long.code, 70);
  t.regex(
    long.stderr,
    /^reeve: this should not have happened: the floor is gone\nTypeError: .*\n {4}at /,
  );
});
