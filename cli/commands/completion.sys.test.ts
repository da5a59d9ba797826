import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type CommandOptions, outputOf } from "../../tests/support/child.js";
import { REEVE } from "../../tests/support/commands.js";
import { folder, reeve } from "../testing/reeve.js";
import { running } from "../testing/running.js";

const script = async (t: ExecutionContext, shell: string): Promise<string> => {
  const { code, stdout, stderr } = await reeve(["completion", shell]);
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
};

/** What bash offers where the last word stands. */
async function offered(
  completion: string,
  line: readonly string[],
  options: CommandOptions = {},
): Promise<readonly string[]> {
  const program = `${completion}
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_reeve
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = await outputOf("bash", ["--norc", "-c", program, "bash", ...line], options);
  return out.split("\n").filter((word) => word !== "");
}

const offers = test.macro<[readonly string[], readonly string[]]>({
  async exec(t, line, words) {
    t.deepEqual(await offered(await script(t, "bash"), line), words);
  },
  title: (_, line = []) => `bash completes \`${line.join(" ")}\``,
});
test(offers, ["reeve", "che"], ["check"]);
test(offers, ["reeve", "schema", ""], ["export"]);
test(offers, ["reeve", "schema", "export", "--f"], ["--format"]);
test(offers, ["reeve", "schema", "export", "--format", "js"], ["json-schema"]);
test(offers, ["reeve", "check", "--format", ""], ["text", "json", "sarif", "github"]);
test(offers, ["reeve", "check", "--json", "--str"], ["--strict"]);
test(offers, ["reeve", "completion", "z"], ["zsh"]);
test(offers, ["reeve", "fmt", ""], []);
test(offers, ["reeve", "plan", "--against", "m"], []);
test(offers, ["reeve", "--v"], ["--version"]);

const HOOKED = `hook_server "default" { listen = "127.0.0.1:0" }
hook "deploy" { run = ["true"] }
hook "team/web.v2" { run = ["true"] }
task "backup" { run = ["true"] }
schedule "nightly" { cron = "0 3 * * *"; run = ["true"] }
sandbox "build" {}
`;

test("names that commands take come from the running daemon", async (t) => {
  const cwd = folder(t, { "main.reeve": HOOKED });
  const daemon = await running(t, cwd);
  const env = { REEVE_CONTROL: daemon.socket };
  const names = async (...command: readonly string[]) => {
    const { code, stdout, stderr } = await reeve(["completion", "names", ...command], { cwd, env });
    t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return stdout.trim().split("\n");
  };
  t.deepEqual(await names("hook", "show"), ["deploy", "team/web.v2"]);
  t.deepEqual(await names("hook", "trigger"), ["deploy", "team/web.v2"]);
  t.deepEqual(await names("task", "run"), ["backup"]);
  t.deepEqual(await names("schedule", "run"), ["nightly"]);
  t.deepEqual(await names("sandbox", "explain"), ["build"]);
  t.deepEqual(await names("history"), ["1"]);
  t.true((await names("explain")).includes("sandbox.build"));
  t.deepEqual(await names("check"), [""]);
  t.is((await reeve(["task", "run", "backup", "--wait"], { cwd, env })).code, 0);
  const [id = ""] = await names("runs");
  t.regex(id, /^0[0-9a-z]{19}$/);
  const completion = await script(t, "bash");
  const program = join(cwd, "reeve");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${REEVE}" "$@"\n`, {
    mode: 0o755,
  });
  const inShell = (...line: readonly string[]) =>
    offered(completion, [program, ...line], { cwd, env: { ...process.env, ...env } });
  t.deepEqual(await inShell("hook", "show", "de"), ["deploy"]);
  t.deepEqual(await inShell("hook", "show", ""), ["deploy", "team/web.v2"]);
  t.deepEqual(await inShell("explain", "hook["), ['hook\\[\\"team/web.v2\\"\\]']);
  t.deepEqual(await inShell("task", "run", ""), ["backup"]);
  t.deepEqual(await inShell("runs", id.slice(0, 4)), [id]);
  t.deepEqual(await inShell("hook", "show", "--j"), ["--json"]);
});

test("bash expands nothing in a name", async (t) => {
  const cwd = folder(t);
  const program = join(cwd, "reeve");
  writeFileSync(program, "#!/bin/sh\necho 'a $(touch stolen)'\n", { mode: 0o755 });
  const words = await offered(await script(t, "bash"), [program, "hook", "show", "a"], { cwd });
  t.deepEqual(words, ["a\\ \\$\\(touch\\ stolen\\)"]);
  t.false(existsSync(join(cwd, "stolen")));
});

test("without a daemon no names are offered, and nothing is printed", async (t) => {
  const env = { REEVE_CONTROL: "/nonexistent/reeve.sock" };
  const { code, stdout, stderr } = await reeve(["completion", "names", "hook", "show"], { env });
  t.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
});

test("zsh and fish run the same command for names", async (t) => {
  t.true((await script(t, "zsh")).includes("reeve completion names hook show 2>/dev/null"));
  t.true(
    (await script(t, "fish")).includes("-f -a '(reeve completion names hook show 2>/dev/null)'"),
  );
});

test("zsh gets a function for every command, with summaries", async (t) => {
  const zsh = await script(t, "zsh");
  t.true(zsh.startsWith("#compdef reeve\n"));
  t.regex(
    zsh,
    /^_reeve_schema_export\(\) \{\n {2}_arguments \\\n {4}'--format=\[what to print\]:WORD:\(json-schema reference descriptor\)'/m,
  );
  t.regex(zsh, /^ {6}export\) _reeve_schema_export ;;$/m);
  t.regex(zsh, /'1: :->command'/);
  t.is(zsh.split("{").length, zsh.split("}").length);
});

test("fish gets a line for every command, option and word", async (t) => {
  const fish = await script(t, "fish");
  const lines = fish.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  t.true(lines.length > 20);
  for (const line of lines) t.regex(line, /^complete -c reeve /);
  t.true(
    lines.includes(
      "complete -c reeve -n '__fish_seen_subcommand_from schema; and __fish_seen_subcommand_from export' -l format -r -f -a 'json-schema reference descriptor' -d 'what to print'",
    ),
  );
});

test("another shell is refused in a sentence", async (t) => {
  const { code, stderr } = await reeve(["completion", "cmd"]);
  t.is(code, 64);
  t.regex(stderr, /Allowed choices are bash, zsh, fish, names/);
});
