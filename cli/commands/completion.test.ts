import { execFileSync } from "node:child_process";
import test, { type ExecutionContext } from "ava";
import { reeve } from "../testing/reeve.js";

const script = async (t: ExecutionContext, shell: string): Promise<string> => {
  const { code, stdout, stderr } = await reeve(["completion", shell]);
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
};

/** What bash offers where the last word stands. */
function offered(completion: string, line: readonly string[]): readonly string[] {
  const program = `${completion}
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_reeve
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["-c", program, "bash", ...line], { encoding: "utf8" });
  return out.split("\n").filter((word) => word !== "");
}

const offers = test.macro<[readonly string[], readonly string[]]>({
  async exec(t, line, words) {
    t.deepEqual(offered(await script(t, "bash"), line), words);
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
  t.regex(stderr, /Allowed choices are bash, zsh, fish/);
});
