import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../testing/reeve.js";
import { running } from "../testing/running.js";

/** Lets the system choose the port: between `init` and what follows, another program may take the one that was free. */
function anyPort(path: string): void {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replaceAll(/127\.0\.0\.1:90\d\d/g, "127.0.0.1:0"));
}

test("what it writes is formatted, and nothing is wrong with it", async (t) => {
  const cwd = folder(t);
  // The host may have a daemon of its own.
  const env = { REEVE_CONTROL: join(cwd, "none.sock") };
  t.deepEqual(await reeve(["init"], { cwd, env }), {
    code: 0,
    stdout: "main.reeve\n",
    stderr: "Next: `reeve check main.reeve`, then `reeve up main.reeve`.\n",
  });
  t.regex(readFileSync(join(cwd, "main.reeve"), "utf8"), /^ {2}listen = "127\.0\.0\.1:90\d\d"$/m);
  anyPort(join(cwd, "main.reeve"));
  t.deepEqual(await reeve(["check", "--strict"], { cwd, env }), {
    code: 0,
    stdout: "main.reeve: valid. 2 blocks in 1 file. 1 test passed.\n",
    stderr: "",
  });
  t.deepEqual(await reeve(["fmt", "--check"], { cwd }), { code: 0, stdout: "", stderr: "" });
});

test("what it leaves in comments works too", async (t) => {
  const cwd = folder(t);
  await reeve(["init"], { cwd });
  const path = join(cwd, "main.reeve");
  const text = readFileSync(path, "utf8");
  const used = text.replaceAll(/^# (?=hook "|\}$| )/gm, "");
  t.not(used, text);
  writeFileSync(path, used);
  anyPort(path);
  writeFileSync(join(cwd, "deploy.sh"), "#!/bin/sh\n", { mode: 0o755 });
  const { code, stdout } = await reeve(["check", "--strict"], {
    cwd,
    env: { DEPLOY_SECRET: "a secret of the test" },
  });
  t.is(code, 0, stdout);
  t.regex(stdout, /3 blocks/);
});

test("a directory is made where there is none", async (t) => {
  const cwd = folder(t);
  const { code, stdout } = await reeve(["init", "deep/er"], { cwd });
  t.deepEqual([code, stdout], [0, "deep/er/main.reeve\n"]);
  t.is((await reeve(["check", "deep/er"], { cwd })).code, 0);
});

test("a second configuration runs beside the first with what is printed", async (t) => {
  const cwd = folder(t);
  await reeve(["init"], { cwd });
  anyPort(join(cwd, "main.reeve"));
  const first = await running(t, cwd);
  const env = { REEVE_CONTROL: first.socket };
  const { stderr } = await reeve(["init", "other"], { cwd, env });
  const [, words = ""] = /then `reeve (up .*)`/.exec(stderr) ?? [];
  t.is(words, "up other/main.reeve --control other/.reeve/control.sock --state other/.reeve");
  anyPort(join(cwd, "other/main.reeve"));
  const started = await reeve(["check", "other", "--host", "--strict"], { cwd, env });
  t.is(started.code, 0, started.stdout);
});

test("the port is one that nothing has", async (t) => {
  const cwd = folder(t);
  // If that fails, another program has it.
  const usual = createServer().listen(9000, "127.0.0.1");
  await new Promise((resolve) => usual.once("listening", resolve).once("error", resolve));
  t.teardown(() => usual.close());
  await reeve(["init"], { cwd });
  const text = readFileSync(join(cwd, "main.reeve"), "utf8");
  t.regex(text, /^ {2}listen = "127\.0\.0\.1:90\d\d"$/m);
  t.notRegex(text, /127\.0\.0\.1:9000/);
});

test("a file that is there stays as it is", async (t) => {
  const cwd = folder(t, { "main.reeve": "# mine\n" });
  t.deepEqual(await reeve(["init"], { cwd }), {
    code: 73,
    stdout: "",
    stderr: "reeve: `main.reeve` exists already\nName another directory: `reeve init DIR`.\n",
  });
  t.is(readFileSync(join(cwd, "main.reeve"), "utf8"), "# mine\n");
});

test("a path that cannot be a directory is reported in a sentence", async (t) => {
  const cwd = folder(t, { file: "" });
  t.deepEqual(await reeve(["init", "file/x"], { cwd }), {
    code: 73,
    stdout: "",
    stderr: "reeve: `file/x/main.reeve` cannot be written: it is not there\n",
  });
});
