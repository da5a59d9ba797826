/** `reeve settings`, as people use it: the real program, and the real daemon where one is needed. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../../../cli/testing/reeve.js";
import { running } from "../../../cli/testing/running.js";
import { output } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";

test("check shows every fault with its caret", async (t) => {
  const cwd = folder(t, {
    "zls.json":
      '{\n  "warn_style": 1,\n  "enable_snipets": true,\n  "zig_exe_path": "/no/zig",\n}\n',
  });
  const { code, stdout, stderr } = await reeve(["settings", "check", "zls.json"], { cwd });
  t.is(stderr, "");
  t.is(
    stdout,
    `error[settings.type]: \`warn_style\` must be \`true\` or \`false\`, not the number 1
 --> zls.json:2:17
  |
2 |   "warn_style": 1,
  |                 ^ did you mean \`true\`?
  = fix: write \`true\`

warning[settings.unknown_key]: ZLS has no setting \`enable_snipets\` and ignores it
 --> zls.json:3:3
  |
3 |   "enable_snipets": true,
  |   ^^^^^^^^^^^^^^^^ did you mean \`enable_snippets\`?
  = fix: write \`"enable_snippets"\`

warning[settings.path]: \`zig_exe_path\` names something that is not there; ZLS ignores it
 --> zls.json:4:19
  |
4 |   "zig_exe_path": "/no/zig",
  |                   ^^^^^^^^^

error[settings.trailing_comma]: JSON has no comma after the last one
 --> zls.json:4:28
  |
4 |   "zig_exe_path": "/no/zig",
  |                            ^
  = fix: remove it

2 errors, 2 warnings.
`,
  );
  t.is(code, 1);
});

test("check of what is sound says so, and warnings count only with --strict", async (t) => {
  const cwd = folder(t, { "zls.json5": "{ warn_style: true, frobnicate: 1 }", "a/zls.json": "{}" });
  const sound = await reeve(["settings", "check", "a"], { cwd });
  t.deepEqual([sound.code, sound.stdout], [0, "Nothing is wrong in 1 file.\n"]);
  t.is((await reeve(["settings", "check", "zls.json5"], { cwd })).code, 0);
  t.is((await reeve(["settings", "check", "--strict", "zls.json5"], { cwd })).code, 1);
  const { stdout } = await reeve(["settings", "check", "--json", "."], { cwd });
  t.like(JSON.parse(stdout), {
    diagnostics: [{ code: "settings.unknown_key", severity: "warning", file: "zls.json5" }],
  });
});

test("what is no settings file is one diagnostic, and nothing hangs", async (t) => {
  const cwd = folder(t, { "huge.json": "", "latin.json": Buffer.from([0x7b, 0xff, 0x7d]) });
  mkdirSync(join(cwd, "empty"));
  truncateSync(join(cwd, "huge.json"), 1024 ** 3);
  output("mkfifo", [join(cwd, "pipe.json")]);
  symlinkSync("circle.json", join(cwd, "circle.json"));
  writeFileSync(join(cwd, "deep.json"), "[".repeat(100_000));
  writeFileSync(join(cwd, "marked.json"), "\ufeff{}");
  writeFileSync(join(cwd, "twice.json"), '{"warn_style": true, "warn_style": false}');
  for (const [name, message] of [
    ["absent.json", "there is no such file"],
    ["empty", "it is a directory, and no file below it is named zls.{json,jsonc,json5}"],
    ["huge.json", "it is larger than the 16 MiB"],
    ["pipe.json", "it is not a regular file"],
    ["circle.json", "its symbolic links go in a circle"],
    ["latin.json", "the file is not UTF-8"],
    ["marked.json", "the file begins with a byte order mark"],
    ["twice.json", "`warn_style` is set twice"],
    ["deep.json", "the file is nested deeper than 200 levels"],
  ] as const) {
    const { code, stdout } = await reeve(["settings", "check", "--schema", "zls", name], { cwd });
    t.is(code, 1, name);
    t.true(stdout.includes(message), `${name}: ${stdout}`);
    t.regex(stdout, /^1 error, 0 warnings\.$/m, name);
  }
});

test("of a directory, the server's files below it are checked", async (t) => {
  const cwd = folder(t, {});
  const broken = '{"warn_style": 1}';
  for (const each of ["a/b", ".hidden", "node_modules/c", "elsewhere/zls.json"]) {
    mkdirSync(join(cwd, each), { recursive: true });
    writeFileSync(join(cwd, each, "zls.jsonc"), broken);
    writeFileSync(join(cwd, each, "other.json"), broken);
  }
  symlinkSync("a", join(cwd, "link"));
  writeFileSync(join(cwd, ".zls.json"), broken);
  const { code, stdout } = await reeve(["settings", "check", "."], { cwd });
  t.is(code, 1);
  t.deepEqual(
    [...stdout.matchAll(/--> (\S+):/g)].map(([, path]) => path?.replace(/:\d+$/, "")),
    ["a/b/zls.jsonc", "elsewhere/zls.json/zls.jsonc"],
  );
});

test("a schema of one's own, and one that does not exist", async (t) => {
  const cwd = folder(t, {
    "my.schema.json": '{"properties": {"level": {"type": "integer"}}}',
    "my.json": '{"level": "high"}',
  });
  const own = await reeve(["settings", "check", "--schema", "./my.schema.json", "my.json"], {
    cwd,
  });
  t.regex(own.stdout, /`level` must be a whole number, not the text "high"/);
  const none = await reeve(["settings", "check", "my.json"], { cwd });
  t.is(none.code, 64);
  t.regex(none.stderr, /Reeve has no schema for "my"/);
});

test("the schema is printed, with 23 properties", async (t) => {
  const { stdout } = await reeve(["settings", "schema", "zls"]);
  const { $schema, properties } = JSON.parse(stdout);
  t.is($schema, "http://json-schema.org/draft-04/schema#");
  t.is(Object.keys(properties).length, 23);
  const none = await reeve(["settings", "schema", "zsl"]);
  t.is(none.code, 1);
  t.regex(none.stderr, /no schema for `zsl`/);
});

test("explain tells what a key means without a daemon", async (t) => {
  const cwd = folder(t);
  const env = { XDG_RUNTIME_DIR: cwd, REEVE_CONTROL: join(cwd, "none.sock") };
  const { code, stdout } = await reeve(["settings", "explain", "semantic_tokens"], { cwd, env });
  t.is(code, 0);
  t.regex(stdout, /"none", "partial", "full"\n {2}default {3}"full"/);
  const none = await reeve(["settings", "explain", "semantic_token"], { cwd, env });
  t.is(none.code, 1);
  t.regex(none.stderr, /Did you mean `semantic_tokens`\?/);
});

test("show, diff, explain and watch follow the daemon", async (t) => {
  const cwd = folder(t, {
    "main.reeve": `settings "zls" {
  watch = ["./zls.json"]
  workspace = ["./project.jsonc"]
  debounce = 5ms
}
`,
    "zls.json": '{"warn_style": true, "semantic_tokens": "none"}',
    "project.jsonc": '{"semantic_tokens": "partial" /* enough */}',
  });
  const daemon = await running(t, cwd);
  await daemon.event(({ type }) => type === "settings.changed");
  const shown = await daemon.reeve("settings", "show", "--set");
  t.is(
    shown.stdout,
    `settings "zls"
  project.jsonc  good
  zls.json  good
  KEY              VALUE      FROM
  semantic_tokens  "partial"  workspace project.jsonc
  warn_style       true       file zls.json
`,
  );
  const explained = await daemon.reeve("settings", "explain", "semantic_tokens");
  t.regex(
    explained.stdout,
    /now {7}"partial", from workspace project\.jsonc\n {2}hides {5}"none", from file zls\.json\n {2}hides {5}"full", from default/,
  );
  const differs = await daemon.reeve("settings", "diff", "zls");
  t.is(
    differs.stdout,
    `settings "zls"
  semantic_tokens: "full" -> "partial" (workspace project.jsonc)
  warn_style: false -> true (file zls.json)
`,
  );
  writeFileSync(join(cwd, "zls.json"), '{"force_autofix": true}');
  await daemon.event(({ type, data }) => type === "settings.changed" && data.version === 2);
  const since = await daemon.reeve("settings", "diff", "--since", "1");
  t.is(
    since.stdout,
    `settings "zls" version 2
  force_autofix: false -> true (file)
  warn_style: true -> false (default)
`,
  );
  const unknown = await daemon.reeve("settings", "show", "pyright");
  t.is(unknown.code, 1);
  t.regex(unknown.stderr, /has no `settings "pyright"`/);
});

test("lsp speaks the protocol, and reports input that does not", async (t) => {
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
  const stdin = `Content-Length: ${initialize.length}\r\n\r\n${initialize}`;
  const { code, stdout } = await reeve(["settings", "lsp"], { stdin });
  t.is(code, 0);
  t.regex(stdout, /^Content-Length: \d+\r\n\r\n\{"jsonrpc":"2\.0","id":1,"result":/);
  const garbage = await reeve(["settings", "lsp"], { stdin: "garbage ".repeat(2000) });
  t.is(garbage.code, 64);
  t.regex(garbage.stderr, /not the language server protocol: a header without an end/);
});

test("the proxy runs a server without a daemon, and ends as it does", async (t) => {
  const cwd = folder(t, {
    "server.mjs":
      "process.stdin.pipe(process.stdout).on('finish', () => process.exit(5)); process.stdin.on('end', () => process.exit(5));",
  });
  const env = { REEVE_CONTROL: join(cwd, "none.sock") };
  const message = 'Content-Length: 38\r\n\r\n{"jsonrpc":"2.0","method":"x/unknown"}';
  const words = ["settings", "proxy", "--name", "zls", "--", process.execPath, "server.mjs"];
  const { code, stdout, stderr } = await reeve(words, { cwd, env, stdin: message });
  t.is(stdout, message);
  t.is(code, 5);
  t.regex(stderr, /Settings are not delivered at the moment: the daemon is not running/);
  const none = await reeve(["settings", "proxy", "--", "/no/such"], { cwd, env });
  t.is(none.code, 69);
  t.is(none.stderr, "reeve: `/no/such` cannot be started: it is not there\n");
});

test("a block that runs is edited while its schema is broken", async (t) => {
  const main = (override: string) =>
    `settings "own" {\n  schema = "./own.schema.json"\n  watch = ["./own.json"]\n  override = { ${override} }\n}\n`;
  const cwd = folder(t, {
    "own.schema.json": '{"properties": {"level": {"type": "integer"}}}',
    "main.reeve": main("level = 1"),
  });
  const daemon = await running(t, cwd);
  writeFileSync(join(cwd, "own.schema.json"), "{");
  writeFileSync(join(cwd, "main.reeve"), main("level = 2"));
  await daemon.event(
    ({ type, data }) => type === "settings.changed" && (data as { version: number }).version === 2,
  );
  t.regex((await daemon.reeve("settings", "show")).stdout, /level +2 +override/);
  // Findings about the machine are reported after the edit.
  const reports = (finding: RegExp) =>
    eventually(`${finding}`, async () => finding.test((await daemon.reeve("status")).stdout));
  await reports(/schema[^\n]*is not JSON/);
  writeFileSync(join(cwd, "own.schema.json"), '{"properties": {"level": {"type": "string"}}}');
  await reports(/refuses an override/);
  t.regex((await daemon.reeve("settings", "show")).stdout, /level +2 +override/);
});

test("init writes a file that check accepts, and keeps an existing one", async (t) => {
  const contributes = { configuration: { properties: { "a.x": { type: "number", default: 1 } } } };
  const cwd = folder(t, { "package.json": JSON.stringify({ contributes }) });
  const made = await reeve(["settings", "init", "zls"], { cwd });
  t.is(
    made.stdout,
    'Wrote zls.jsonc with 23 settings. Remove `// ` to set one.\n\nsettings "zls" {\n  watch = ["./zls.jsonc"]\n}\n',
  );
  t.is((await reeve(["settings", "check", "zls.jsonc"], { cwd })).code, 0);
  const again = await reeve(["settings", "init", "zls"], { cwd });
  t.is(again.code, 1);
  t.regex(again.stderr, /`zls\.jsonc` exists already/);
  const words = ["settings", "init", "a", "own.jsonc", "--schema", "./package.json"];
  t.regex(
    (await reeve(words, { cwd })).stdout,
    /with 1 settings?[\s\S]*schema = "\.\/package\.json"/,
  );
  t.is((await reeve(["settings", "init", "zsl"], { cwd })).code, 64);
});
