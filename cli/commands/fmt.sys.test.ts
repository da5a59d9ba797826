import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, type ProgramResult, reeve } from "../testing/reeve.js";

const loose = "# kept\nx   =   1 ;y=2\n\n\n\nhook 'a'{}\n".replace("'a'", '"a"');
const tidy = '# kept\nx = 1\ny = 2\n\nhook "a" {}\n';

test("a file is formatted, and then it stays as it is", async (t) => {
  const cwd = folder(t, { "main.reeve": loose });
  t.deepEqual(await reeve(["fmt", "main.reeve"], { cwd }), {
    code: 0,
    stdout: "main.reeve\n",
    stderr: "",
  });
  t.is(readFileSync(join(cwd, "main.reeve"), "utf8"), tidy);
  t.deepEqual(await reeve(["fmt", "main.reeve"], { cwd }), { code: 0, stdout: "", stderr: "" });
});

test("a directory means the files below it, without hidden ones and node_modules", async (t) => {
  const cwd = folder(t, {
    "main.reeve": loose,
    "teams/a.reeve": loose,
    "teams/b.reeve": tidy,
    "teams/c.reeve.json": "{}",
    ".cache/a.reeve": loose,
    "node_modules/x/a.reeve": loose,
  });
  const all = await reeve(["fmt", "--check"], { cwd });
  t.deepEqual([all.code, all.stdout], [1, "main.reeve\nteams/a.reeve\n"]);
  const below = await reeve(["fmt", "teams"], { cwd });
  t.deepEqual([below.code, below.stdout], [0, "teams/a.reeve\n"]);
  t.is(readFileSync(join(cwd, "main.reeve"), "utf8"), loose);
});

test("--check writes nothing", async (t) => {
  const cwd = folder(t, { "main.reeve": loose });
  t.deepEqual(await reeve(["fmt", "--check"], { cwd }), {
    code: 1,
    stdout: "main.reeve\n",
    stderr: "Run `reeve fmt` to format them.\n",
  });
  t.is(readFileSync(join(cwd, "main.reeve"), "utf8"), loose);
});

test("mode and symbolic links stay, and nothing is left beside the file", async (t) => {
  const cwd = folder(t, { "real/main.reeve": loose });
  const real = join(cwd, "real/main.reeve");
  chmodSync(real, 0o640);
  symlinkSync("real/main.reeve", join(cwd, "link.reeve"));
  t.is((await reeve(["fmt", "link.reeve"], { cwd })).code, 0);
  t.is(readFileSync(real, "utf8"), tidy);
  t.is(statSync(real).mode & 0o777, 0o640);
  t.true(lstatSync(join(cwd, "link.reeve")).isSymbolicLink());
  t.is(readlinkSync(join(cwd, "link.reeve")), "real/main.reeve");
  t.deepEqual(readdirSync(join(cwd, "real")), ["main.reeve"]);
});

test("a file that cannot be read as the language is left as it is; the others are formatted", async (t) => {
  const cwd = folder(t, { "bad.reeve": "x   =\n", "good.reeve": loose });
  t.deepEqual(await reeve(["fmt"], { cwd }), {
    code: 78,
    stdout: "good.reeve\n",
    stderr: `error[E013]: expected a value after \`=\`
 --> bad.reeve:1:6
  |
1 | x   =
  |      ^ found the end of the line

1 error, 0 warnings. Files with errors are not formatted.
`,
  });
  t.is(readFileSync(join(cwd, "bad.reeve"), "utf8"), "x   =\n");
});

const stdin = test.macro<[string, readonly string[], Partial<ProgramResult>]>(
  async (t, text, words, expected) => {
    t.like(await reeve(["fmt", ...words], { stdin: text }), expected);
  },
);
test("`-` prints the formatted text", stdin, loose, ["-"], { code: 0, stdout: tidy, stderr: "" });
test("`- --check` tells by its exit code", stdin, loose, ["-", "--check"], {
  code: 1,
  stdout: "",
});
test("`- --check` of a formatted text", stdin, tidy, ["-", "--check"], { code: 0, stdout: "" });
test("`-` prints nothing of a text with errors", stdin, "x =", ["-"], { code: 78, stdout: "" });
test("`-` stands alone", stdin, "", ["-", "a.reeve"], { code: 64, stdout: "" });

test("JSON says what became of each file", async (t) => {
  const cwd = folder(t, { "a.reeve": loose, "b.reeve": tidy, "c.reeve": "x =\n" });
  const { code, stdout, stderr } = await reeve(["fmt", "--check", "--json"], { cwd });
  const { files, diagnostics } = JSON.parse(stdout);
  t.deepEqual({ code, stderr }, { code: 78, stderr: "" });
  t.deepEqual(files, [
    { file: "a.reeve", state: "formatted" },
    { file: "b.reeve", state: "unchanged" },
    { file: "c.reeve", state: "invalid" },
  ]);
  t.like(diagnostics[0], { code: "E013", file: "c.reeve", range: { start: { line: 1 } } });
});

const unreadable = test.macro<[Readonly<Record<string, string | Uint8Array>>, string]>(
  async (t, files, stderr) => {
    const cwd = folder(t, files);
    t.deepEqual(await reeve(["fmt", "x.reeve"], { cwd }), { code: 66, stdout: "", stderr });
  },
);
test(
  "a file that is not there",
  unreadable,
  {},
  "reeve: `x.reeve` cannot be read: it is not there\n",
);
test(
  "a file that is no text",
  unreadable,
  { "x.reeve": new Uint8Array([0x78, 0xff, 0xfe]) },
  "reeve: `x.reeve` is not UTF-8 text\n",
);

test("JSON is not taken for a text with many errors", async (t) => {
  const cwd = folder(t, { "a.reeve.json": "{}\n" });
  t.deepEqual(await reeve(["fmt", "a.reeve.json"], { cwd }), {
    code: 64,
    stdout: "",
    stderr: "reeve: `a.reeve.json` is JSON; fmt is for *.reeve files\n",
  });
});
