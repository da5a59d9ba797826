/** `hooks_file`: files of the other server, served by the daemon. */
import { rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import type { RunTrigger } from "../evidence/api.js";
import { type HooksFixture, startFixture } from "../testing/fixture.js";
import { SERVER } from "../testing/pieces.js";

const FILE = 'hooks_file "legacy" { path = "./hooks.json" }\n';
const echo = (id: string, text: string, more: object = {}): object => ({
  id,
  "execute-command": "/bin/echo",
  "pass-arguments-to-command": [{ source: "string", name: text }],
  "include-command-output-in-response": true,
  ...more,
});
const text = (...hooks: readonly object[]): string => JSON.stringify(hooks);
const served = async (at: HooksFixture, path: string): Promise<string> => {
  const response = await at.post(path);
  return response.status === 200 ? response.text() : String(response.status);
};

test("its hooks are answered beside those of the language, which come first", async (t) => {
  const hook = 'hook "b" {\nrun = ["echo", "language"]\nresponse { include_output = true }\n}\n';
  const files = { "hooks.json": text(echo("a", "file"), echo("b", "file"), echo("c/d e", "odd")) };
  const at = await startFixture(t, SERVER + FILE + hook, { files });
  t.is(await served(at, "a"), "file\n");
  t.is(await served(at, "b"), "language\n");
  t.is(await served(at, "c/d%20e"), "odd\n");
  t.is(await served(at, "unknown"), "404");
});

test("a run of its hooks is recorded, with its command", async (t) => {
  const at = await startFixture(t, SERVER + FILE, {
    files: { "hooks.json": text(echo("a", "x")) },
  });
  const response = await at.post("a");
  const [run] = await at.plugin.runs();
  t.is(run?.subject, "hooks_file.legacy/a");
  t.is(run?.state, "succeeded");
  t.is(response.headers.get("reeve-run"), run?.id ?? "");
});

test("both `alerts.0.status` and `alerts[0].status` are found", async (t) => {
  const names = ["alerts.0.status", "alerts[0].status"];
  const hook = echo("a", "", {
    "pass-arguments-to-command": names.map((name) => ({ source: "payload", name })),
  });
  const at = await startFixture(t, SERVER + FILE, { files: { "hooks.json": text(hook) } });
  const body = '{"alerts": [{"status": "firing"}]}';
  const response = await at.post("a", body, { "content-type": "application/json" });
  t.is(await response.text(), "firing firing\n");
});

test("it is strict unless it says otherwise: a condition over something missing does not hold", async (t) => {
  const rule = {
    not: { match: { type: "value", value: "x", parameter: { source: "query", name: "gone" } } },
  };
  const files = { "hooks.json": text(echo("a", "ran", { "trigger-rule": rule })) };
  t.is(await served(await startFixture(t, SERVER + FILE, { files }), "a"), "403");
  const loose = 'hooks_file "legacy" { path = "./hooks.json"; strict = false }\n';
  t.is(await served(await startFixture(t, SERVER + loose, { files }), "a"), "ran\n");
});

test("a GET with a body is refused: its body would not be verified", async (t) => {
  const at = await startFixture(t, SERVER + FILE, {
    files: { "hooks.json": text(echo("a", "x")) },
  });
  t.is((await fetch(`${at.url}/a`)).status, 200);
  t.is((await fetch(`${at.url}/a`, { method: "OPTIONS" })).status, 405);
});

test("a file that is broken from the start is refused in its place, with line and column", async (t) => {
  const at = await startFixture(t, SERVER);
  await writeFile(join(at.directory, "hooks.json"), '[\n  {"id": "a", "execute-comand": "x"}\n]');
  const [complaint, ...others] = await at.edit(SERVER + FILE);
  t.deepEqual(others, []);
  t.regex(complaint ?? "", /hooks\.json:2:15: `execute-comand` means nothing here; did you mean/);
});

test("defect 10: an edit of the file counts, renamed or linked into place; a broken one changes nothing and is told", async (t) => {
  const at = await startFixture(t, SERVER + FILE, {
    files: { "hooks.json": text(echo("a", "1")) },
  });
  const file = join(at.directory, "hooks.json");
  await at.next("hooks_file.loaded");
  t.is(await served(at, "a"), "1\n");

  await writeFile(`${file}.new`, text(echo("a", "2"), echo("b", "new")));
  await rename(`${file}.new`, file);
  await at.next("hooks_file.loaded");
  t.is(await served(at, "a"), "2\n");
  t.is(await served(at, "b"), "new\n");

  await writeFile(file, '[\n  {"id": "a"');
  const { reason } = await at.next("hooks_file.rejected");
  t.regex(String(reason), /hooks\.json:2:\d+: /);
  t.is(await served(at, "a"), "2\n");
  const health = await at.plugin.health();
  t.is(health?.state, "degraded");
  t.regex(health?.reason ?? "", /hooks\.json:2:\d+/);

  await writeFile(join(at.directory, "other.json"), text(echo("a", "3")));
  await symlink("other.json", `${file}.link`);
  await rename(`${file}.link`, file);
  await at.next("hooks_file.loaded");
  t.is(await served(at, "a"), "3\n");
  t.is(await served(at, "b"), "404");
  t.is((await at.plugin.health())?.state, "healthy");
});

test("its block can be edited and taken away", async (t) => {
  const at = await startFixture(t, SERVER + FILE, {
    files: { "hooks.json": text(echo("a", "1")) },
  });
  t.deepEqual(
    await at.edit(`${SERVER}hooks_file "legacy" { path = "./hooks.json"; timeout = 1s }`),
    [],
  );
  t.is(await served(at, "a"), "1\n");
  t.deepEqual(await at.edit(SERVER), []);
  t.is(await served(at, "a"), "404");
});

test("pass-file-to-command: the file is there for the command, and gone after it", async (t) => {
  const hook = {
    id: "a",
    "execute-command": "/bin/sh",
    "pass-arguments-to-command": [
      { source: "string", name: "-c" },
      { source: "string", name: 'cat "$HOOK_X"; echo "$HOOK_X"' },
    ],
    "pass-file-to-command": [{ source: "query", name: "x" }],
    "include-command-output-in-response": true,
  };
  const at = await startFixture(t, SERVER + FILE, { files: { "hooks.json": text(hook) } });
  const [content, path = ""] = (await served(at, "a?x=content%0A")).split("\n");
  t.is(content, "content");
  await t.throwsAsync(rename(path, path), { code: "ENOENT" });
});

test("defect 8: a body over the server's limit is answered with 413", async (t) => {
  const server = 'hook_server "main" { listen = "127.0.0.1:0"; body_limit = 10B }\n';
  const at = await startFixture(t, server + FILE, {
    files: { "hooks.json": text(echo("a", "1")) },
  });
  t.is((await at.post("a", "x".repeat(11))).status, 413);
});

test("defect 8: no more commands run, and no more requests wait, than the block allows", async (t) => {
  const hook = echo("a", "", {
    "execute-command": "/bin/sh",
    "pass-arguments-to-command": [
      { source: "string", name: "-c" },
      { source: "string", name: "until [ -e go ]; do sleep 0.02; done; echo done" },
    ],
  });
  const file = 'hooks_file "legacy" { path = "./hooks.json"; concurrency = 1; queue = 1 }\n';
  const at = await startFixture(t, SERVER + file, { files: { "hooks.json": text(hook) } });
  const running = at.post("a");
  await at.next("hook.triggered");
  const waiting = at.post("a");
  await at.next("hook.triggered");
  t.is((await at.post("a")).status, 429);
  await writeFile(join(at.directory, "go"), "");
  t.is(await (await running).text(), "done\n");
  t.is(await (await waiting).text(), "done\n");
});

test("a run whose request lacks a value or has an unread body is marked and logged", async (t) => {
  const hook = echo("a", "", { "pass-arguments-to-command": [{ source: "payload", name: "x" }] });
  const at = await startFixture(t, SERVER + FILE, { files: { "hooks.json": text(hook) } });
  await at.post("a", "x", { "content-type": "text/plain" });
  const [run] = await at.plugin.runs();
  const record = await at.plugin.run(run?.id ?? "");
  const { decision = [] } = (record?.request ?? {}) as Partial<RunTrigger>;
  const faults = [
    "error parsing body payload due to unsupported content type header: text/plain",
    "error extracting command arguments: couldn't retrieve argument for {Source:payload Name:x EnvName: Base64Decode:false}",
  ];
  t.deepEqual(
    decision.filter(({ holds }) => !holds).map(({ says }) => says),
    faults,
  );
  const warnings = at.plugin.log.filter(({ level }) => level === "warn");
  t.deepEqual(
    warnings.map(({ reason }) => reason),
    faults,
  );
});
