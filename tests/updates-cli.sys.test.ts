/** `reeve updates …` against a real daemon: what each command prints, and what it says of words that make no sense. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { createOutput } from "../cli/plugin-api/output.js";
import { main } from "../cli/program/main.js";
import { folder, type ProgramResult } from "../cli/testing/reeve.js";
import { running } from "../cli/testing/running.js";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { outputOf } from "./support/child.js";
import { eventually } from "./support/eventually.js";

const MANIFEST = `{ "name": "site", "dependencies": { "left-foo": "2.0.0" } }\n`;

interface Scene {
  readonly cwd: string;
  readonly publish: (version: string) => void;
  updates(...words: readonly string[]): Promise<ProgramResult>;
}

/** A daemon with `block` and a registry that has left-foo 2.0.0. */
async function scene(
  t: ExecutionContext,
  block: (registry: string) => string = (url) =>
    `updates "main" {\n  listen = "127.0.0.1:0"\n  repositories = "./repositories"\n  registry "npm_and_yarn" { url = "${url}" }\n}\n`,
): Promise<Scene> {
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const cwd = folder(t, { "main.reeve": block(registry.url) });
  const { socket } = await running(t, cwd);
  return {
    cwd,
    publish: (version) => registry.publish("left-foo", version),
    updates: async (...words) => {
      let [stdout, stderr] = ["", ""];
      const output = createOutput(
        { isTTY: false, columns: undefined, write: (text: string) => (stdout += text) },
        { write: (text: string) => (stderr += text) },
        { NO_COLOR: "1" },
      );
      const all = ["updates", ...words, "--control", socket];
      const code = await main(all, output, new AbortController().signal);
      return { code, stdout, stderr };
    },
  };
}

/** Pushes a project as anybody does. */
async function push(cwd: string, address: string, token: string): Promise<void> {
  writeFileSync(join(cwd, "package.json"), MANIFEST);
  const environment = {
    ...{ PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.test" },
    ...{ GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.test" },
  };
  const work = ["--git-dir", join(cwd, ".site"), "--work-tree", cwd];
  for (const words of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "package.json"],
    ["commit", "--quiet", "--message", "begin"],
    ["push", "--quiet", address.replace("://", `://a:${token}@`), "main"],
  ])
    await outputOf("git", [...work, ...words], { env: environment });
}

test("from an account to a merge, by the command line alone", async (t) => {
  const { cwd, publish, updates } = await scene(t);
  const fine = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await updates(...words);
    t.is(code, 0, `${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  const until = (fits: RegExp, ...words: readonly string[]): Promise<string> =>
    eventually(`${fits}`, async () => {
      const { code, stdout } = await updates(...words);
      return code === 0 && fits.test(stdout) ? stdout : undefined;
    });
  for (const [what, none] of [
    ["accounts", "No accounts."],
    ["repos", "No repositories."],
    ["tokens", "No tokens."],
    ["configs", "No update configs."],
    ["runs", "No runs."],
    ["prs", "No pull requests."],
  ] as const)
    t.deepEqual(await updates(what), { code: 0, stdout: "", stderr: `${none}\n` });

  t.is(await fine("accounts", "--add", "acme"), "Created the account acme.\n");
  const token = (await fine("tokens", "--add", "acme", "--name", "ci")).trim();
  t.regex(await fine("tokens"), /^ID +NAME +SCOPE\n +1 +ci +push\n$/);
  t.false((await fine("tokens", "--json")).includes(token));
  const address = (await fine("repos", "--add", "acme/site")).trim();
  await push(cwd, address, token);
  t.is(
    await fine(
      ...["configs", "--add", "acme/site", "--manager", "npm_and_yarn"],
      ...["--runtime", "semver:patch"],
    ),
    "Created the update config 1.\n",
  );
  t.regex(await fine("accounts"), /^ID +ACCOUNT +TYPE +REPOS\n +1 +acme +org +1\n$/);
  t.regex(await fine("repos", "acme"), /acme\/site +1 +main/);
  t.regex(await fine("configs", "acme/site"), /npm_and_yarn +\/ +live +semver:patch, never/);
  t.regex(
    await fine("why", "acme/site", "left-foo"),
    /left-foo +\/ +2\.0\.0 +left-foo 2\.0\.0 is the newest version\./,
  );

  publish("2.0.3");
  t.regex(
    await fine("notify", "npm_and_yarn", "left-foo", "2.0.3", "--dry-run"),
    /acme\/site .*package\.json: 2\.0\.0 → 2\.0\.3 +automatically/,
  );
  t.is((await updates("prs")).stderr, "No pull requests.\n");
  t.is(await fine("notify", "npm_and_yarn", "left-foo", "2.0.3"), "Checking 1 update config.\n");
  await until(/#1 +merged +Bump left-foo from 2\.0\.0 to 2\.0\.3/, "prs", "--state", "merged");
  t.regex(await until(/release of left-foo/, "runs", "acme/site"), /acme\/site +succeeded/);

  publish("3.0.0");
  await fine("notify", "npm_and_yarn", "left-foo", "3.0.0");
  await until(/#2 +open .*semver:patch/, "prs", "--state", "open");
  t.regex(await fine("why", "acme/site"), /Pull request #2 is open\./);
  t.is(await fine("prs", "--close", "2"), "Closed the pull request 2.\n");
  t.regex(
    await fine("why", "acme/site", "left-foo"),
    /The pull request for left-foo 3\.0\.0 was closed/,
  );
  t.is(await fine("configs", "--remove", "1"), "Removed the update config 1.\n");
  t.is(await fine("tokens", "--revoke", "1"), "The token is revoked.\n");
});

const wrong: ReadonlyArray<readonly [line: string, code: number, said: RegExp]> = [
  ["accounts --add a/b", 1, /a\/b/],
  ["accounts --add acme --type robot", 64, /--type.*org, user/s],
  ["tokens --add unknown", 1, /There is no account "unknown"/],
  ["tokens --add acme --scope all", 64, /--scope/],
  ["tokens --revoke 7", 1, /^$/],
  ["tokens --revoke x", 64, /--revoke/],
  ["repos unknown", 1, /unknown/],
  ["repos --add site", 64, /site is not a repository name.*ACCOUNT\/NAME/s],
  ["configs acme", 1, /acme/],
  ["configs acme/nothing", 1, /acme\/nothing/],
  ["configs --add acme/site", 64, /--add needs --manager/],
  ["configs --add acme/nothing --manager npm_and_yarn", 1, /acme\/nothing/],
  ["configs --add acme/site --manager cobol", 64, /cobol|package-manager/],
  ["configs --add acme/site --manager npm_and_yarn", 64, /at least one commit/],
  ["configs --add acme/site --manager npm_and_yarn --schedule hourly", 64, /--schedule/],
  ["configs --add acme/site --manager npm_and_yarn --runtime sometimes", 64, /--runtime/],
  ["configs --run 9", 1, /config/i],
  ["configs --remove 9", 1, /config/i],
  ["runs acme/nothing", 1, /acme\/nothing/],
  ["runs --limit many", 64, /--limit/],
  ["prs acme/nothing", 1, /acme\/nothing/],
  ["prs --state lost", 64, /--state/],
  ["prs --close 9", 1, /pull request/i],
  ["notify npm_and_yarn", 64, /NAME/],
  ["notify cobol left-foo", 64, /cobol|package-manager/],
  ["notify npm_and_yarn left-foo --dry-run", 64, /--dry-run needs a version/],
  ["why site", 64, /site is not a repository name/],
  ["why acme/nothing", 1, /acme\/nothing/],
  ["why acme/site nothing", 1, /There is no such dependency\./],
  ["nothing", 64, /nothing/],
];
test("words that make no sense are answered with one sentence, and the code for what is wrong", async (t) => {
  const { updates } = await scene(t);
  await updates("accounts", "--add", "acme");
  await updates("repos", "--add", "acme/site");
  const others: string[] = [];
  for (const [line, code, said] of wrong) {
    const ended = await updates(...line.split(" "));
    const isRight =
      ended.code === code && said.test(ended.stderr) && !/\n\s+at /.test(ended.stderr);
    if (!isRight) others.push(`${line} → ${ended.code} ${ended.stdout}${ended.stderr}`);
  }
  t.deepEqual(others, []);
});

test("without an `updates` block every command says what to write", async (t) => {
  const { updates } = await scene(t, () => "");
  for (const line of ["accounts", "repos", "configs", "runs", "prs", "tokens", "why a/b"]) {
    const { code, stderr } = await updates(...line.split(" "));
    t.is(code, 1, line);
    t.regex(stderr, /has no `updates` block.*Add one: `updates "main"/s, line);
  }
});
