/** The sixteen names of the API, and which of them are built. */
import test from "ava";
import { UpdatesError } from "../errors.js";
import { managerOf } from "./managers.js";
import { managerNames, packageManager, packageManagers } from "./names.js";

const built = [
  // One a line.
  "bundler",
  "cargo",
  "composer",
  "dep",
  "docker",
  "elm",
  "go_modules",
  "gradle",
  "hex",
  "host_actions",
  "maven",
  "npm_and_yarn",
  "nuget",
  "pip",
  "submodules",
  "terraform",
];

for (const name of packageManagers)
  test(`${name} ${built.includes(name) ? "is built" : "is known and refused"}`, (t) => {
    if (built.includes(name)) return t.is(managerOf(name).id, name);
    const error = t.throws(() => managerOf(name), {
      instanceOf: UpdatesError,
      code: "manager_not_built",
    });
    return t.regex(
      error?.message ?? "",
      new RegExp(`^The package manager ${name} is not supported yet\\.`),
    );
  });

test("there are sixteen, and no two share a spelling", (t) => {
  t.is(packageManagers.length, 16);
  const spellings = packageManagers.flatMap((name) => [name, ...managerNames[name].aliases]);
  t.deepEqual(
    spellings.filter((spelling, place) => spellings.indexOf(spelling) !== place),
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
];
for (const [manager, written, name] of names)
  test(`an announcement of ${written} is about ${name} (${manager})`, (t) => {
    t.is(managerOf(manager as "docker").normalise(written), name);
  });
