/** Scripts, files, users: what a command is and has while it runs. */
import { readdir } from "node:fs/promises";
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
    'run = ["cat", file_path.KEY]\nfiles = { KEY = secret("env:S") }',
    "x",
    "hunter22",
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
          `script = "id -un; id -gn; echo $HOME; cat $F; grep CapEff /proc/self/status"\nfiles = { F = "mine " }\nrun_as = "nobody"\ncwd = "/"\n${OUTPUT}`,
        ),
    );
    const text = await (await at.post("x")).text();
    t.regex(text, /^nobody\nnogroup\n\/nonexistent\nmine CapEff:\t0+\n$/);
  },
);

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
  ["a sandbox where no plugin offers any", 'run = ["true"]\nrun_in = sandbox.build', /sandbox/],
];

for (const [title, body, complaint] of refused) {
  test(`a configuration is refused: ${title}`, async (t) => {
    const at = await startFixture(t, SERVER + hook("y", 'run = ["true"]'));
    t.regex((await at.edit(SERVER + hook("x", body))).join("\n"), complaint);
  });
}
