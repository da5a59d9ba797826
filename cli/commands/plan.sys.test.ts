import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import type { Plan } from "../../daemon/config/program.js";
import { output } from "../../tests/support/child.js";
import { runAgainst } from "../testing/commands.js";
import { folder, reeve } from "../testing/reeve.js";
import { generationDetail, status } from "../testing/samples.js";

const slow = "daemon {\n  settle = 2s\n}\n";
const quick = "daemon {\n  settle = 1s\n}\n";
const changed = `~ daemon is updated while it runs
    settle: 2s -> 1s

1 setting of the daemon changed.
`;

test("two files are compared by their values", async (t) => {
  const cwd = folder(t, {
    "main.reeve": quick,
    "old.reeve": slow,
    "same.reeve": "let quick = 1s\n\ndaemon {\n  # moved\n  settle = let.quick\n}\n",
  });
  const words = ["plan", "--against"];
  t.deepEqual(await reeve([...words, "old.reeve"], { cwd }), {
    code: 0,
    stdout: changed,
    stderr: "",
  });
  t.deepEqual(await reeve([...words, "same.reeve", "--exit-code"], { cwd }), {
    code: 0,
    stdout: "Nothing changes: 0 blocks, as before.\n",
    stderr: "",
  });
  t.is((await reeve([...words, "old.reeve", "--exit-code"], { cwd })).code, 1);
});

test("an edit is compared with the last commit", async (t) => {
  const cwd = folder(t, { "main.reeve": slow });
  const git = (...words: readonly string[]) =>
    output("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", ...words]);
  git("init", "--quiet");
  git("add", "main.reeve");
  git("commit", "-qm", "first");
  writeFileSync(join(cwd, "main.reeve"), quick);
  t.deepEqual(await reeve(["plan", "--against", "git:HEAD"], { cwd }), {
    code: 0,
    stdout: changed,
    stderr: "",
  });
  git("rm", "--quiet", "--cached", "main.reeve");
  git("commit", "-qm", "second", "--allow-empty");
  const fresh = await reeve(["plan", "--against", "git:HEAD"], { cwd });
  t.is(fresh.stderr, "There is no `main.reeve` in git:HEAD: everything is new.\n");
  t.is(fresh.code, 0);
});

test("`--ref` plans the files of a commit that is not checked out", async (t) => {
  const cwd = folder(t, { "main.reeve": quick });
  const author = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  const git = (...words: readonly string[]) => output("git", ["-C", cwd, ...author, ...words]);
  const commit = (text: string) => {
    writeFileSync(join(cwd, "main.reeve"), text);
    git("add", "main.reeve");
    git("commit", "-qm", "change");
  };
  git("init", "--quiet", "--initial-branch=main");
  commit(quick);
  git("branch", "feature");
  commit(slow);
  const onDisk = () => readFileSync(join(cwd, "main.reeve"), "utf8");
  const plan = (...words: readonly string[]) => reeve(["plan", ...words], { cwd });
  t.deepEqual(await plan("--ref", "feature"), { code: 0, stdout: changed, stderr: "" });
  t.is(onDisk(), slow, "nothing is checked out");
  t.is((await plan("--ref", "feature", "--exit-code")).code, 1);
  t.regex((await plan("--ref", "feature", "--against", "git:feature")).stdout, /^Nothing changes/);
  t.is((await plan("--ref", "main", "--exit-code")).code, 0);

  git("checkout", "--quiet", "-b", "broken");
  commit("hook {");
  git("checkout", "--quiet", "main");
  const broken = await plan("--ref", "broken");
  t.is(broken.code, 78);
  t.regex(broken.stderr, /main\.reeve:1:/);
  t.regex(broken.stderr, /This is git:broken\./);
  const missing = await plan("--ref", "nowhere");
  t.is(missing.code, 66);
  t.regex(missing.stderr, /git knows no commit `nowhere`/);
});

test("JSON is the plan as the daemon gives it", async (t) => {
  const cwd = folder(t, { "main.reeve": quick, "old.reeve": slow });
  const { code, stdout } = await reeve(["plan", "--against", "old.reeve", "--json"], { cwd });
  t.is(code, 0);
  t.deepEqual(JSON.parse(stdout), {
    plan: {
      changes: [],
      settings: [{ path: "settle", reload: "live", before: "2s", after: "1s" }],
      needsRestart: [],
      summary: { unchanged: 0, updated: 0, replaced: 0, added: 0, removed: 0 },
    },
    diagnostics: [],
  });
});

test("an invalid side is shown with carets and named", async (t) => {
  const cwd = folder(t, { "main.reeve": quick, "bad.reeve": "x = 1\n" });
  const other = await reeve(["plan", "--against", "bad.reeve"], { cwd });
  t.deepEqual([other.code, other.stdout], [78, ""]);
  t.regex(other.stderr, /--> bad\.reeve:1:1[\s\S]*1 error, 0 warnings\. This is bad\.reeve\.\n$/);
  const own = await reeve(["plan", "bad.reeve", "--against", "main.reeve"], { cwd });
  t.is(own.code, 78);
  t.regex(own.stderr, /1 error, 0 warnings\.\n$/);
  const json = await reeve(["plan", "--against", "bad.reeve", "--json"], { cwd });
  t.deepEqual([json.code, json.stderr], [78, ""]);
  t.like(JSON.parse(json.stdout).diagnostics[0], { severity: "error", file: "bad.reeve" });
});

test("without --against the daemon is asked", async (t) => {
  const cwd = folder(t, { "main.reeve": quick });
  const control = join(cwd, "control.sock");
  const silent = await reeve(["plan", "--control", control], { cwd });
  t.deepEqual([silent.code, silent.stdout], [69, ""]);
  t.true(silent.stderr.includes(control));
});

test("a file may be named if it is the one that the daemon runs", async (t) => {
  const cwd = folder(t, { "main.reeve": quick, "other.reeve": quick });
  const planned = (file: string) =>
    runAgainst(t, ["plan", join(cwd, file)], {
      "GET /v1/status": () => ({ ...status, root: join(cwd, "main.reeve") }),
      "POST /v1/plan": () => ({
        plan: generationDetail.plan as Plan,
        diagnostics: [],
        sources: {},
      }),
    });
  const [directory, same, other] = [
    await planned("."),
    await planned("main.reeve"),
    await planned("other.reeve"),
  ];
  t.deepEqual([directory.code, directory.stderr], [0, ""]);
  t.regex(same.stdout, /~ hook\.deploy/);
  t.is(same.stdout, directory.stdout);
  t.deepEqual([other.code, other.stdout], [64, ""]);
  t.regex(other.stderr, /the daemon runs `.*main\.reeve`, not `.*other\.reeve`/);
  t.regex(other.stderr, /--against/);
});
