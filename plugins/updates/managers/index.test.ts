/** The rows of the package managers. */
import test from "ava";
import { managerOf, managers, packageManager, packageManagers } from "./index.js";

for (const name of packageManagers)
  test(`${name} loads`, async (t) => {
    t.is((await managerOf(name)).id, name);
  });

test("there are twenty-one package managers, runtimes and custom patterns, and no two share a spelling", (t) => {
  t.is(packageManagers.length, 23);
  const spellings = packageManagers.flatMap((name) => [name, ...managers[name].aliases]);
  t.deepEqual(
    spellings.filter((spelling, position) => spellings.indexOf(spelling) !== position),
    [],
  );
});

const spelled: ReadonlyArray<readonly [spelling: string, name: string | undefined]> = [
  ["npm_and_yarn", "npm_and_yarn"],
  ["javascript", "npm_and_yarn"],
  ["npm", "npm_and_yarn"],
  ["github_actions", "host_actions"],
  ["github-actions", "host_actions"],
  ["gomod", "go_modules"],
  ["rust:cargo", "cargo"],
  ["uv", "pip"],
  ["opentofu", "terraform"],
  ["bun", "npm_and_yarn"],
  ["pre-commit", "pre_commit"],
  ["gitlab-ci", "gitlab_ci"],
  ["runtime-versions", "runtimes"],
  ["apt", undefined],
];
for (const [spelling, name] of spelled)
  test(`${spelling} means ${name ?? "nothing"}`, (t) => {
    t.is(packageManager(spelling), name as never);
  });

const names: ReadonlyArray<readonly [manager: string, written: string, name: string]> = [
  ["docker", "docker.io/library/Node:20", "node"],
  ["docker", "ghcr.io/Acme/App", "ghcr.io/acme/app"],
  ["host_actions", "https://github.com/actions/checkout", "actions/checkout"],
  ["host_actions", "github/codeql-action/init@v3", "github/codeql-action"],
  ["submodules", "https://example.test/a.git/", "https://example.test/a"],
  ["go_modules", "example.test/X@v1.2.3", "example.test/X"],
  ["npm_and_yarn", " @Acme/x ", "@Acme/x"],
  ["runtimes", " NodeJS", "node"],
  ["runtimes", "npm:@acme/x", "npm:@acme/x"],
];
for (const [manager, written, name] of names)
  test(`an announcement of ${written} is about ${name} (${manager})`, async (t) => {
    t.is((await managerOf(manager as "docker")).normalize(written), name);
  });
