/** Scripts, files, users: what a command is and has while it runs. */
import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { join } from "node:path";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER } from "./testing/pieces.js";

const OUTPUT = "response { include_output = true }";
const JSON_BODY = { "content-type": "application/json" };
const asRoot = process.getuid?.() === 0 ? test : test.skip;

const rows: ReadonlyArray<readonly [title: string, body: string, path: string, answer: string]> = [
  [
    "a script for the shell, with arguments that nothing interprets",
    'script = """\n  set -eu\n  echo "$0 $# $1"\n"""\nargs = [query.a, "two"]',
    "x?a=$(id);%20%22",
    'x 2 $(id); "\n',
  ],
  [
    "a script for another interpreter",
    'script = """\n#!/usr/bin/env node\nconsole.log(process.argv.slice(2).join("|"))\n"""\nargs = [query.a, "b c"]',
    "x?a=1",
    "1|b c\n",
  ],
  [
    "files, told by variables",
    'script = "cat $TEXT $DATA; stat -c %a $TEXT"\nfiles = { TEXT = query.a, DATA = { b = 1 } }',
    "x?a=hello",
    'hello{"b":1}600\n',
  ],
  [
    "files as arguments",
    'run = ["cat", file_path.TEXT]\nfiles = { TEXT = query.a }',
    "x?a=hello",
    "hello",
  ],
  [
    "a secret in a file",
    'script = "wc -c <$KEY; cat $KEY"\nfiles = { KEY = secret("env:S") }',
    "x",
    "8\n(secret)",
  ],
  [
    "how much it gives way, beyond what the daemon gives",
    'run = ["nice"]\nnice = 7',
    "x",
    `${Math.min(getPriority() + 7, 19)}\n`,
  ],
];

for (const [title, body, path, answer] of rows) {
  test(`a command has ${title}`, async (t) => {
    const at = await startFixture(t, SERVER + hook("x", `${body}\n${OUTPUT}`));
    const response = await at.post(path, "{}", JSON_BODY);
    t.deepEqual([response.status, await response.text()], [200, answer]);
  });
}

test("files are gone when the command has ended", async (t) => {
  const body = 'run = ["echo", file_path.TEXT]\nfiles = { TEXT = "x" }';
  const at = await startFixture(t, SERVER + hook("x", `${body}\n${OUTPUT}`));
  const path = (await (await at.post("x")).text()).trim();
  t.true(path.endsWith("/TEXT"));
  await t.throwsAsync(readdir(join(path, "..")), { code: "ENOENT" });
});

asRoot(
  "a command runs as another user, with that user's groups and nothing of root's",
  async (t) => {
    const at = await startFixture(
      t,
      SERVER +
        hook(
          "x",
          `script = "id -un; id -gn; echo $HOME; cat $F; grep -E 'NoNewPrivs|CapEff' /proc/self/status"\nfiles = { F = "mine " }\nrun_as = "nobody"\ncwd = "/"\n${OUTPUT}`,
        ),
    );
    const text = await (await at.post("x")).text();
    t.regex(text, /^nobody\nnogroup\n\/nonexistent\nmine CapEff:\t0+\nNoNewPrivs:\t1\n$/);
  },
);

test("set-user-ID programs give a command privileges only where they may", async (t) => {
  const flag = `script = "grep NoNewPrivs /proc/self/status"\n${OUTPUT}`;
  const own = /^NoNewPrivs:\t[01]$/m.exec(await readFile("/proc/self/status", "utf8"))?.[0];
  const at = await startFixture(
    t,
    SERVER + hook("own", flag) + hook("none", `no_new_privileges = true\n${flag}`),
  );
  t.is(await (await at.post("own")).text(), `${own}\n`);
  t.is(await (await at.post("none")).text(), "NoNewPrivs:\t1\n");
});

asRoot("a command of another user may have them, if configured", async (t) => {
  const at = await startFixture(
    t,
    `${SERVER}${hook("x", `script = "grep NoNewPrivs /proc/self/status"\nrun_as = "nobody"\nno_new_privileges = false\ncwd = "/"\n${OUTPUT}`)}`,
  );
  const own = /^NoNewPrivs:\t[01]$/m.exec(await readFile("/proc/self/status", "utf8"))?.[0];
  t.is(await (await at.post("x")).text(), `${own}\n`);
});

test("a command gets the usual variables of the daemon, what it asks for, and no secret", async (t) => {
  const shown = `run = ["env"]\n${OUTPUT}`;
  process.env.REEVE_SCRIPTS_PLAIN = "plain";
  process.env.REEVE_SCRIPTS_SECRET = "a hunter22 in a text";
  t.teardown(() => {
    delete process.env.REEVE_SCRIPTS_PLAIN;
    delete process.env.REEVE_SCRIPTS_SECRET;
  });
  const legacy = [
    { id: "legacy", "execute-command": "env", "include-command-output-in-response": true },
  ];
  const at = await startFixture(
    t,
    SERVER +
      hook("usual", shown) +
      hook("more", `env_from = ["REEVE_SCRIPTS_*"]\nenv = { S = secret("env:S") }\n${shown}`) +
      hook("only", `inherit_env = false\nenv_from = ["REEVE_SCRIPTS_PLAIN"]\n${shown}`) +
      'hooks_file "old" { path = "./hooks.json" }\n',
    { files: { "hooks.json": JSON.stringify(legacy) } },
  );
  const names = async (path: string): Promise<readonly string[]> =>
    (await (await at.post(path)).text()).split("\n").flatMap((line) => line.split("=", 1));
  const usual = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|REEVE_HOOK|REEVE_RUN|)$/;
  t.deepEqual(
    (await names("usual")).filter((name) => !usual.test(name)),
    [],
  );
  t.deepEqual(
    (await names("more")).filter((name) => !usual.test(name)),
    ["REEVE_SCRIPTS_PLAIN", "S"],
  );
  t.deepEqual((await names("only")).toSorted(), [
    "",
    "REEVE_HOOK",
    "REEVE_RUN",
    "REEVE_SCRIPTS_PLAIN",
  ]);
  t.true((await names("legacy")).includes("REEVE_SCRIPTS_PLAIN"), "a hooks file");
  t.false((await names("legacy")).includes("REEVE_SCRIPTS_SECRET"));
});

asRoot("and as another group", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `run = ["id", "-gn"]\nrun_as = "nobody:daemon"\ncwd = "/"\n${OUTPUT}`),
  );
  t.is(await (await at.post("x")).text(), "daemon\n");
});

const refused: ReadonlyArray<readonly [title: string, body: string, complaint: RegExp]> = [
  ["no command", "", /neither `run` nor `script`/],
  ["two commands", 'run = ["true"]\nscript = "true"', /both `run` and `script`/],
  [
    "a script made of a request",
    'script = "echo ${query.a}"',
    /a script cannot contain values of the run/,
  ],
  ["arguments without a script", 'run = ["true"]\nargs = ["a"]', /`args` are for a `script`/],
  [
    "a user that is not there",
    'run = ["true"]\nrun_as = "nobody-at-all"',
    /there is no user `nobody-at-all`/,
  ],
  [
    "a group that is not there",
    'run = ["true"]\nrun_as = "root:none-at-all"',
    /there is no group `none-at-all`/,
  ],
  [
    "a file and a variable of one name",
    'run = ["true"]\nenv = { A = "1" }\nfiles = { A = "1" }',
    /a variable in `env`, too/,
  ],
  ["a list of variables that is none", 'run = ["true"]\nenv_from = ["A-B"]', /a prefix such as/],
  ["a sandbox where no plugin offers any", 'run = ["true"]\nrun_in = sandbox.build', /sandbox/],
];

for (const [title, body, complaint] of refused) {
  test(`a configuration is refused: ${title}`, async (t) => {
    const at = await startFixture(t, SERVER + hook("y", 'run = ["true"]'));
    t.regex((await at.edit(SERVER + hook("x", body))).join("\n"), complaint);
  });
}
