/** Spec §5: hooks files, reloading, and the files the server itself makes. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import { ended, launch, serving } from "./testing/running.js";

const one = [{ id: "one", "execute-command": "/bin/true", "response-message": "1" }];
const two = [{ id: "two", "execute-command": "/bin/true", "response-message": "2" }];

test("-template: secrets from the environment, files and credentials", async (t) => {
  const directory = folder(t);
  await mkdir(join(directory, "credentials"));
  await writeFile(join(directory, "credentials", "hook"), "from a credential\n");
  const text = `[{"id": "{{ getenv "HOOK_ID" | js }}", "execute-command": "/bin/true", "response-message": "{{ credential "hook" | js }}"}]`;
  const env = { HOOK_ID: "named", CREDENTIALS_DIRECTORY: join(directory, "credentials") };
  const server = await serving(t, text, ["-verbose", "-template"], { directory, env });
  t.is((await server.ask("/hooks/named")).body, "from a credential");
});

test("-pidfile names the process, refuses a second one, and goes", async (t) => {
  const directory = folder(t);
  const server = await serving(t, one, ["-verbose", "-pidfile", "run/pid"], { directory });
  t.is(await readFile(join(directory, "run/pid"), "utf8"), String(server.child.pid));
  const second = await ended(t, ["-port", "0", "-pidfile", "run/pid"], directory);
  t.is(second.code, 1);
  t.regex(second.stderr, /is running/);
  t.is((await server.stop()).code, 0);
  t.deepEqual(readdirSync(join(directory, "run")), []);
});

test("-logfile is appended to and implies -verbose", async (t) => {
  const directory = folder(t);
  await writeFile(join(directory, "log"), "before\n");
  await writeFile(join(directory, "hooks.json"), "[]");
  const server = launch(t, ["-ip", "127.0.0.1", "-port", "0", "-logfile", "log"], directory);
  const log = (): string => readFileSync(join(directory, "log"), "utf8");
  await eventually("the server to be ready", () => log().includes("watcher ready"));
  server.kill("SIGTERM");
  t.is(await server.ended, 0);
  t.regex(log(), /^before\n\[webhook\] /);
  t.is(server.stderr, "");
});

for (const signal of ["SIGHUP", "SIGUSR1"] as const) {
  test(`${signal} reads the files again; a broken one changes nothing`, async (t) => {
    const directory = folder(t);
    const server = await serving(t, one, ["-verbose"], { directory });
    await writeFile(join(directory, "hooks.json"), '[\n  {"id": ]');
    server.child.kill(signal);
    await server.logged(/couldn't load hooks from file! hooks\.json:2:\d+: /);
    t.is((await server.ask("/hooks/one")).body, "1");
    await writeFile(join(directory, "hooks.json"), JSON.stringify(two));
    server.child.kill(signal);
    await server.logged(/loaded: two/);
    t.is((await server.ask("/hooks/two")).body, "2");
    t.is((await server.ask("/hooks/one")).status, 404);
  });
}

test("defect 10: -hotreload sees files that are renamed into place, swapped links, and files that are removed", async (t) => {
  const directory = folder(t);
  const file = join(directory, "hooks.json");
  const server = await serving(t, one, ["-verbose", "-hotreload"], { directory });
  for (const [turn, hooks] of [two, one, two].entries()) {
    await writeFile(`${file}.new`, JSON.stringify(hooks));
    await rename(`${file}.new`, file);
    const loaded = new RegExp(`(?:loaded: [\\s\\S]*){${turn + 2}}`);
    await server.logged(loaded);
  }
  t.is((await server.ask("/hooks/two")).body, "2");
  await writeFile(join(directory, "other.json"), JSON.stringify([{ ...one[0], id: "linked" }]));
  await symlink("other.json", `${file}.link`);
  await rename(`${file}.link`, file);
  await server.logged(/loaded: linked/);
  t.is((await server.ask("/hooks/linked")).body, "1");
  await rm(file);
  await server.logged(/removed 1 hook\(s\)/);
  t.is((await server.ask("/hooks/linked")).status, 404);
});

test("pass-file-to-command: a file while the command runs, and none after it", async (t) => {
  const directory = folder(t);
  const hook = {
    id: "file",
    "execute-command": "/bin/sh",
    "command-working-directory": directory,
    "pass-arguments-to-command": [
      { source: "string", name: "-c" },
      { source: "string", name: 'cat "$HOOK_DATA"; stat -c %a "$HOOK_DATA"' },
    ],
    "pass-file-to-command": [{ source: "payload", name: "data", base64decode: true }],
    "include-command-output-in-response": true,
  };
  const server = await serving(t, [hook], ["-verbose"], { directory });
  const got = await server.ask("/hooks/file", {
    headers: { "content-type": "application/json" },
    body: '{"data": "Ynl0ZXMK"}',
  });
  t.is(got.body, "bytes\n600\n");
  t.deepEqual(readdirSync(directory), ["hooks.json"]);
});

test("defect 7: large files in forms leave nothing behind", async (t) => {
  const directory = folder(t);
  const server = await serving(t, one, ["-verbose", "-max-multipart-mem", "1"], {
    env: { TMPDIR: directory },
  });
  // With the first command the server makes a directory of its own.
  t.is((await server.ask("/hooks/one")).status, 200);
  await server.logged(/finished handling/);
  const before = readdirSync(directory, { recursive: true });
  const { status } = await server.ask("/hooks/one", {
    headers: { "content-type": "multipart/form-data; boundary=x" },
    body: `--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${"x".repeat(2_000_000)}\r\n--x--\r\n`,
  });
  t.is(status, 200);
  await server.logged(/finished handling[\s\S]*finished handling/);
  t.deepEqual(readdirSync(directory, { recursive: true }), before);
  await server.stop();
  t.deepEqual(readdirSync(directory), []);
});
