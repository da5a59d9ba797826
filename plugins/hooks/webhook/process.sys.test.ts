/** Spec §5: flags, log and stop of the process. */
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { output } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import { ask, ended, launch, serving } from "./testing/running.js";

const one = [{ id: "one", "execute-command": "/bin/true", "response-message": "1" }];
const two = [{ id: "two", "execute-command": "/bin/true", "response-message": "2" }];

test("-version, -h and an unknown flag", async (t) => {
  const version = await ended(t, ["-version"]);
  t.regex(version.stdout, /^webhook version \d+\.\d+\.\d+\n$/);
  const help = await ended(t, ["-h"]);
  t.is(help.code, 0);
  t.regex(help.stderr, /^Usage of webhook:/);
  const unknown = await ended(t, ["--nonsense"]);
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /^flag provided but not defined: -nonsense/);
});

test("the log follows a hook from its request to its end", async (t) => {
  const hook = {
    id: "x",
    "execute-command": "/bin/echo",
    "include-command-output-in-response": true,
    "pass-arguments-to-command": [
      { source: "payload", name: "a" },
      { source: "payload", name: "gone" },
    ],
    "pass-environment-to-command": [{ source: "payload", name: "a" }],
  };
  const server = await serving(t, [hook]);
  await server.ask("/hooks/x?q=1", {
    headers: { "content-type": "application/json" },
    body: '{"a": "A"}',
  });
  await server.logged(/ 200 \| /);
  const lines = server.log.split("\n").filter((line) => line !== "");
  for (const line of lines) t.regex(line, /^\[webhook\] \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /);
  const wanted = [
    /version \d+\.\d+\.\d+ starting/,
    /setting up os signal watcher/,
    /attempting to load hooks from hooks\.json/,
    /found 1 hook\(s\) in file/,
    /\tloaded: x/,
    /serving hooks on http:\/\/127\.0\.0\.1:\d+\/hooks\/\{id\}/,
    /os signal watcher ready/,
    /\[[0-9a-f]{6}\] incoming HTTP POST request from 127\.0\.0\.1:\d+/,
    /\[[0-9a-f]{6}\] x got matched/,
    /\[[0-9a-f]{6}\] x hook triggered successfully/,
    /error extracting command arguments: couldn't retrieve argument for \{Source:payload Name:gone EnvName: Base64Decode:false\}/,
    /executing \/bin\/echo \(\/bin\/echo\) with arguments \["\/bin\/echo" "A" ""\] and environment \[HOOK_a=A\] using {2}as cwd/,
    /command output: A/,
    /finished handling x/,
    /\[[0-9a-f]{6}\] 200 \| 3 B \| [\d.]+(ms|µs|s) \| 127\.0\.0\.1:\d+ \| POST \/hooks\/x\?q=1/,
  ];
  let at = 0;
  for (const pattern of wanted) {
    const next = lines.findIndex((line, index) => index >= at && pattern.test(line));
    t.true(next >= at, `${pattern} in order`);
    at = next + 1;
  }
});

test("without -verbose the log is quiet, but defect 9: a command that cannot start is logged", async (t) => {
  const directory = folder(t);
  await writeFile(
    join(directory, "hooks.json"),
    '[{"id": "x", "execute-command": "/nowhere/at/all foo"}]',
  );
  const socket = join(directory, "s");
  const server = launch(t, ["-socket", socket, "-nopanic"], directory);
  await eventually("the socket", () => existsSync(socket));
  t.is(server.stderr, "");
  t.is((await ask({ socketPath: socket }, "/hooks/x", {})).status, 200);
  await server.says(/pass-arguments/);
  t.regex(server.stderr, /error in exec: "\/nowhere\/at\/all foo": /);
  await server.says(/use 'pass-arguments-to-command' to specify args for '\/nowhere\/at\/all'/);
  server.kill("SIGTERM");
  t.is(await server.ended, 0);
  t.deepEqual(readdirSync(directory), ["hooks.json"]);
});

test("defect 16: secrets are in no line of the log, not even with -debug", async (t) => {
  const hook = {
    id: "x",
    "execute-command": "/bin/echo",
    "trigger-rule": {
      or: [
        {
          match: {
            type: "payload-hmac-sha256",
            secret: "hunter22",
            parameter: { source: "header", name: "X-Sig" },
          },
        },
        {
          match: {
            type: "value",
            value: "tok3n-value",
            parameter: { source: "header", name: "X-Gitlab-Token" },
          },
        },
      ],
    },
    "pass-arguments-to-command": [{ source: "entire-headers" }],
    "pass-environment-to-command": [
      { source: "header", name: "X-Gitlab-Token", envname: "API_TOKEN" },
    ],
    "include-command-output-in-response": true,
  };
  const server = await serving(t, [hook], ["-debug"]);
  const headers = { "x-gitlab-token": "tok3n-value", authorization: "Bearer abcdefgh" };
  const got = await server.ask("/hooks/x?access_token=s3cr3t-query&says=hunter22", { headers });
  t.is(got.status, 200);
  t.regex(got.body, /tok3n-value/);
  await server.logged(/finished handling/);
  t.notRegex(server.log, /tok3n-value|hunter22|abcdefgh|s3cr3t-query/);
});

test("no hooks at all: a message and 1, unless -nopanic or -verbose", async (t) => {
  const { code, stdout } = await ended(t, ["-port", "0", "-ip", "127.0.0.1"]);
  t.is(code, 1);
  t.regex(stdout, /couldn't load any hooks from file!/);
});

test("the same id in two files: 1, and a sentence", async (t) => {
  const directory = folder(t);
  for (const name of ["a", "b"]) await writeFile(join(directory, name), JSON.stringify(one));
  const { code, stderr } = await ended(t, ["-hooks", "a", "-hooks=b", "-verbose"], directory);
  t.is(code, 1);
  t.regex(stderr, /id one/);
});

test("an address in use: one line and 1", async (t) => {
  const server = await serving(t, one);
  const directory = folder(t);
  await writeFile(join(directory, "hooks.json"), JSON.stringify(two));
  const { code, stderr } = await ended(
    t,
    ["-ip", "127.0.0.1", "-port", String(server.port)],
    directory,
  );
  t.is(code, 1);
  t.regex(stderr, /^error listening on 127\.0\.0\.1:\d+: the address is in use; [^\n]+\n$/);
});

test("-secure without its files ends with 1 and a sentence, not silently", async (t) => {
  const directory = folder(t);
  await writeFile(join(directory, "hooks.json"), JSON.stringify(one));
  const { code, stderr } = await ended(t, ["-secure", "-ip", "127.0.0.1", "-port", "0"], directory);
  t.is(code, 1);
  t.regex(
    stderr,
    /^The certificate cert\.pem is needed for -secure, and there is no such file\.\n$/,
  );
});

for (const [prefix, path] of [
  ["", "/one"],
  ["a/b", "/a/b/one"],
] as const) {
  test(`-urlprefix "${prefix}" serves ${path}`, async (t) => {
    const server = await serving(t, one, ["-verbose", "-urlprefix", prefix]);
    t.is((await server.ask(path)).body, "1");
    t.is((await server.ask("/hooks/one")).status, 404);
  });
}

test("-http-methods is for hooks that name none", async (t) => {
  const hooks = [...one, { id: "get", "execute-command": "/bin/true", "http-methods": ["GET"] }];
  const server = await serving(t, hooks, ["-verbose", "-http-methods=Post "]);
  t.is((await server.ask("/hooks/one", { method: "GET" })).status, 405);
  t.is((await server.ask("/hooks/one")).status, 200);
  t.is((await server.ask("/hooks/get", { method: "GET" })).status, 200);
});

test("-x-request-id, cut to -x-request-id-limit", async (t) => {
  const server = await serving(t, one, ["-verbose", "-x-request-id", "-x-request-id-limit", "4"]);
  await server.ask("/hooks/one", { headers: { "x-request-id": "abcdefgh" } });
  await server.logged(/\[abcd\] one got matched/);
  t.pass();
});

test("defect 11: a stop lets requests finish, and leaves no command behind", async (t) => {
  const hook = {
    id: "slow",
    "execute-command": "/bin/sh",
    "pass-arguments-to-command": [
      { source: "string", name: "-c" },
      { source: "string", name: "echo started $$ >&2; cat go; echo done" },
    ],
    "include-command-output-in-response": true,
  };
  const directory = folder(t);
  output("mkfifo", [join(directory, "go")]);
  const server = await serving(t, [hook], ["-verbose"], { directory });
  const answer = server.ask("/hooks/slow");
  await server.logged(/executing/);
  const end = server.stop();
  await server.logged(/caught terminated signal; exiting/);
  await writeFile(join(directory, "go"), "went on\n");
  const { status, body } = await answer;
  t.is(status, 200);
  t.regex(body, /^started \d+\nwent on\ndone\n$/);
  t.is((await end).code, 0);
});
