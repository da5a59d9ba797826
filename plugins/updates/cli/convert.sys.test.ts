/** `reeve updates convert` in a directory with manifests. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { parse } from "yaml";
import { folder, reeve } from "../../../cli/testing/reeve.js";

const renovate = `// größer
{
  extends: ["config:recommended"],
  labels: ["deps"],
  hostRules: [{ matchHost: "npm.acme.example", hostType: "npm", token: "s3cret" }],
  lockFileMaintenance: { enabled: true },
}
`;

test("the block passes the check and is formatted, what is left out is named with its line", async (t) => {
  const cwd = folder(t, {
    "renovate.json5": renovate,
    "package.json": "{}",
    Dockerfile: "FROM a:1\n",
  });
  const block = await reeve(["updates", "convert", "renovate.json5"], { cwd });
  t.is(block.code, 1);
  t.notRegex(block.stdout + block.stderr, /s3cret/);
  t.regex(
    block.stderr,
    /^renovate\.json5:3: group:monorepos: its list of packages is not known here\.\n/,
  );
  t.regex(
    block.stderr,
    /\nrenovate\.json5:6: lockFileMaintenance: lock files change with updates only\.\n$/,
  );
  writeFileSync(join(cwd, "main.reeve"), block.stdout);
  const checked = await reeve(["check"], { cwd });
  t.is(checked.code, 0, checked.stderr);
  t.is((await reeve(["fmt", "--check"], { cwd })).code, 0);
  const file = await reeve(["updates", "convert", "renovate.json5", "--repository"], { cwd });
  const { updates } = parse(file.stdout) as { updates: Record<string, unknown>[] };
  t.deepEqual(
    updates.map((each) => [each["package-ecosystem"], each.labels]),
    [
      ["docker", ["deps"]],
      ["npm_and_yarn", ["deps"]],
      ["runtimes", ["deps"]],
    ],
  );
});

test("a file without findings ends with 0, --json has everything", async (t) => {
  const cwd = folder(t, { "renovate.json": `{ "enabledManagers": ["cargo"], "automerge": true }` });
  const { code, stdout } = await reeve(["updates", "convert", "renovate.json", "--json"], { cwd });
  t.is(code, 0);
  const { block, findings } = JSON.parse(stdout);
  t.is(block, 'updates "main" {}\n');
  t.deepEqual(findings, []);
});

for (const [what, text, code, message] of [
  ["no JSON", "{", 78, "reeve: renovate.json:1 is not JSON: CloseBraceExpected"],
  ["no object", "[]", 78, "reeve: renovate.json must be an object with options of Renovate."],
  ["nothing", undefined, 66, "renovate.json"],
] as const)
  test(`a file with ${what} is refused in one sentence`, async (t) => {
    const cwd = folder(t, text === undefined ? {} : { "renovate.json": text });
    const { code: exit, stderr } = await reeve(["updates", "convert", "renovate.json"], { cwd });
    t.is(exit, code);
    t.true(stderr.includes(message), stderr);
    t.is(stderr.trim().split("\n").length, 1);
  });
