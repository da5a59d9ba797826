import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../testing/reeve.js";

test("misspelt names are repaired in every file, and comments stay", async (t) => {
  const cwd = folder(t, {
    "main.reeve": 'import "./more.reeve"\n\ndaemon {\n  settl = 1s # quick\n}\n',
    "more.reeve": "// note\nlet a = 1\n",
  });
  const { code, stdout, stderr } = await reeve(["fix"], { cwd });
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  t.is(stdout, "main.reeve:4:3: rename to `settle`\nmore.reeve:1:1: write `#`\n");
  t.regex(readFileSync(join(cwd, "main.reeve"), "utf8"), /settle = 1s # quick/);
  t.is(readFileSync(join(cwd, "more.reeve"), "utf8"), "# note\nlet a = 1\n");
  t.deepEqual(await reeve(["fix"], { cwd }), {
    code: 0,
    stdout: "",
    stderr: "There is nothing to fix.\n",
  });
});

test("--check writes nothing", async (t) => {
  const text = "daemon {\n  settl = 1s\n}\n";
  const cwd = folder(t, { "main.reeve": text });
  t.deepEqual(await reeve(["fix", "--check"], { cwd }), {
    code: 1,
    stdout: "main.reeve:2:3: rename to `settle`\n",
    stderr: "",
  });
  t.is(readFileSync(join(cwd, "main.reeve"), "utf8"), text);
});

test("one repair uncovers the next", async (t) => {
  const cwd = folder(t, { "main.reeve": "daemon {\n  settl: 1s\n}\n" });
  const { code, stdout } = await reeve(["fix"], { cwd });
  t.is(code, 0);
  t.deepEqual(stdout.trim().split("\n").length, 2, stdout);
  t.is(readFileSync(join(cwd, "main.reeve"), "utf8"), "daemon {\n  settle = 1s\n}\n");
});

test("what is left is shown", async (t) => {
  const cwd = folder(t, { "main.reeve": "daemon {\n  settl = 1s\n  nonsense = 2\n}\n" });
  const { code, stdout, stderr } = await reeve(["fix"], { cwd });
  t.is(code, 78);
  t.is(stdout, "main.reeve:2:3: rename to `settle`\n");
  t.regex(stderr, /unknown attribute `nonsense`[\s\S]*1 error, 0 warnings\.\n$/);
});

test("JSON lists the fixes, the files and how much is left", async (t) => {
  const cwd = folder(t, { "main.reeve": "daemon {\n  settl = 1s\n  nonsense = 2\n}\n" });
  const { code, stdout, stderr } = await reeve(["fix", "--json"], { cwd });
  t.deepEqual({ code, stderr }, { code: 78, stderr: "" });
  t.deepEqual(JSON.parse(stdout), {
    fixes: [{ file: "main.reeve", line: 2, column: 3, title: "rename to `settle`" }],
    files: ["main.reeve"],
    left: 1,
  });
});
