/** What is found in projects of npm, pnpm and Yarn: declarations, locked versions, registries, members. */
import test from "ava";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import type { Dependency, ManagerSettings, ProjectSources } from "../contract.js";
import { npmAndYarn } from "./manager.js";

const none: ManagerSettings = { registries: [] };
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const manifest = json({
  name: "app",
  dependencies: { foo: "^1.0.0", "@acme/bar": "~2.0.0", old: "npm:foo@^0.9.0" },
  devDependencies: { tool: "^3.0.0" },
});

function found(sources: ProjectSources, settings = none): ReadonlyMap<string, Dependency> {
  return new Map(npmAndYarn.parse(sources, settings).dependencies.map((one) => [one.id, one]));
}

const locks: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "package-lock.json, version 1": [
    "package-lock.json",
    json({
      lockfileVersion: 1,
      dependencies: {
        foo: { version: "1.2.3", dependencies: { deep: { version: "5.0.0" } } },
        "@acme/bar": { version: "2.0.7" },
        old: { version: "npm:foo@0.9.4" },
        tool: { version: "3.1.0", dev: true },
      },
    }),
  ],
  "package-lock.json, version 3": [
    "package-lock.json",
    json({
      lockfileVersion: 3,
      packages: {
        "": { name: "app" },
        "node_modules/foo": { version: "1.2.3" },
        "node_modules/foo/node_modules/deep": { version: "5.0.0" },
        "node_modules/@acme/bar": { version: "2.0.7" },
        "node_modules/old": { name: "foo", version: "0.9.4" },
        "node_modules/tool": { version: "3.1.0", dev: true },
      },
    }),
  ],
  "yarn.lock of Yarn 1": [
    "yarn.lock",
    `# yarn lockfile v1\n\n\n"@acme/bar@~2.0.0":\n  version "2.0.7"\n\ndeep@^5.0.0:\n  version "5.0.0"\n\nfoo@^1.0.0, foo@^1.1.0:\n  version "1.2.3"\n  dependencies:\n    deep "^5.0.0"\n\n"old@npm:foo@^0.9.0":\n  version "0.9.4"\n\ntool@^3.0.0:\n  version "3.1.0"\n`,
  ],
  "yarn.lock of Yarn 4": [
    "yarn.lock",
    `__metadata:\n  version: 8\n\n"@acme/bar@npm:~2.0.0":\n  version: 2.0.7\n  resolution: "@acme/bar@npm:2.0.7"\n\n"deep@npm:^5.0.0":\n  version: 5.0.0\n  resolution: "deep@npm:5.0.0"\n\n"foo@npm:^1.0.0, foo@npm:^1.1.0":\n  version: 1.2.3\n  resolution: "foo@npm:1.2.3"\n\n"old@npm:foo@^0.9.0":\n  version: 0.9.4\n  resolution: "foo@npm:0.9.4"\n\n"tool@npm:^3.0.0":\n  version: 3.1.0\n  resolution: "tool@npm:3.1.0"\n\n"app@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "app@workspace:."\n  linkType: soft\n`,
  ],
  "pnpm-lock.yaml, version 9": [
    "pnpm-lock.yaml",
    `lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      '@acme/bar':\n        specifier: ~2.0.0\n        version: 2.0.7(foo@1.2.3)\n      foo:\n        specifier: ^1.0.0\n        version: 1.2.3\n      old:\n        specifier: npm:foo@^0.9.0\n        version: foo@0.9.4\n    devDependencies:\n      tool:\n        specifier: ^3.0.0\n        version: 3.1.0\npackages:\n  '@acme/bar@2.0.7':\n    resolution: {integrity: sha512-a}\n  deep@5.0.0:\n    resolution: {integrity: sha512-a}\n  foo@0.9.4:\n    resolution: {integrity: sha512-a}\n  foo@1.2.3:\n    resolution: {integrity: sha512-a}\n  tool@3.1.0:\n    resolution: {integrity: sha512-a}\n`,
  ],
  "pnpm-lock.yaml, version 5": [
    "pnpm-lock.yaml",
    `lockfileVersion: 5.4\ndependencies:\n  '@acme/bar': 2.0.7_foo@1.2.3\n  foo: 1.2.3\n  old: /foo/0.9.4\ndevDependencies:\n  tool: 3.1.0\npackages:\n  /@acme/bar/2.0.7_foo@1.2.3:\n    dev: false\n  /deep/5.0.0:\n    dev: false\n  /foo/0.9.4:\n    dev: false\n  /foo/1.2.3:\n    dev: false\n  /tool/3.1.0:\n    dev: true\n`,
  ],
};

for (const [what, [file, text]] of Object.entries(locks))
  test(`${what} has the versions in use`, (t) => {
    const sources = repository({ "package.json": manifest, [file]: text });
    const { dependencies, broken } = npmAndYarn.parse(sources, none);
    t.deepEqual(broken, []);
    const direct = dependencies.filter(({ declarations }) => declarations.length > 0);
    t.deepEqual(
      direct.map(({ name, current, lockedBy }) => [name, current, lockedBy]),
      [
        // Two ranges of one package: the lower version counts.
        ["foo", "0.9.4", file],
        ["@acme/bar", "2.0.7", file],
        ["tool", "3.1.0", file],
      ],
    );
    t.true(
      dependencies.some(({ id, declarations }) => id === "deep@5.0.0" && declarations.length === 0),
    );
    t.deepEqual(
      direct.map(({ development }) => development),
      [false, false, true],
    );
  });

test("members of a workspace are read with it, and are not dependencies of each other", (t) => {
  const sources = repository({
    "package.json": json({ name: "root", workspaces: ["packages/*", "!packages/skipped"] }),
    "packages/a/package.json": json({ name: "a", dependencies: { b: "^1.0.0", foo: "^1.0.0" } }),
    "packages/b/package.json": json({ name: "b", devDependencies: { foo: "^2.0.0" } }),
    "packages/skipped/package.json": json({ name: "c", dependencies: { foo: "*" } }),
    "packages/a/node_modules/x/package.json": json({ name: "x" }),
    "package-lock.json": json({
      lockfileVersion: 3,
      packages: {
        "node_modules/a": { resolved: "packages/a", link: true },
        "node_modules/foo": { version: "1.5.0" },
        "packages/b/node_modules/foo": { version: "2.1.0" },
      },
    }),
  });
  t.deepEqual([...npmAndYarn.filesToRead(sources)].sort(), [
    "package-lock.json",
    "package.json",
    "packages/a/package.json",
    "packages/b/package.json",
  ]);
  const all = found(sources);
  t.deepEqual(
    all.get("foo")?.declarations.map(({ file }) => file),
    ["packages/a/package.json", "packages/b/package.json"],
  );
  t.is(all.get("foo")?.current, "1.5.0");
  t.is(all.get("foo")?.development, false);
  const b = [...all.values()].find(({ name }) => name === "b");
  t.is(b?.origin.kind, "none");
});

test("a directory without a package.json has no files to read", (t) => {
  const sources = repository({ "web/package.json": "{}" });
  t.deepEqual(npmAndYarn.filesToRead(sources), []);
  t.deepEqual(npmAndYarn.filesToRead({ ...sources, directory: "/web" }), ["web/package.json"]);
});

const registries: ReadonlyArray<
  readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    settings: ManagerSettings,
    foo: string,
    bar: string,
  ]
> = [
  [
    "no registry is configured",
    {},
    none,
    "https://registry.npmjs.org",
    "https://registry.npmjs.org",
  ],
  [
    "the instance says",
    {},
    { registries: [{ manager: "npm_and_yarn", url: "https://mirror.test/" }] },
    "https://mirror.test",
    "https://mirror.test",
  ],
  [
    ".npmrc says, by scope and for all",
    {
      ".npmrc":
        "registry=https://own.test/npm/\n@acme:registry = https://acme.test\n//own.test/:_authToken=${TOKEN}\n",
    },
    { registries: [{ manager: "npm_and_yarn", url: "https://mirror.test" }] },
    "https://own.test/npm",
    "https://acme.test",
  ],
  [
    "a scope of the instance wins",
    { ".npmrc": "@acme:registry=https://acme.test\n" },
    { registries: [{ manager: "npm_and_yarn", url: "https://secret.test", scope: "@acme" }] },
    "https://registry.npmjs.org",
    "https://secret.test",
  ],
  [
    "nothing of the environment is put in",
    { ".npmrc": "registry=https://evil.test/${HOME}\n" },
    none,
    "https://registry.npmjs.org",
    "https://registry.npmjs.org",
  ],
  [
    ".yarnrc.yml says",
    {
      ".yarnrc.yml":
        "npmRegistryServer: https://own.test\nnpmScopes:\n  acme:\n    npmRegistryServer: https://acme.test\n",
    },
    none,
    "https://own.test",
    "https://acme.test",
  ],
];
for (const [what, files, settings, foo, bar] of registries)
  test(`the registry of packages: ${what}`, (t) => {
    const all = found(repository({ "package.json": manifest, ...files }), settings);
    t.deepEqual(all.get("foo")?.origin, { kind: "registry", url: foo });
    t.deepEqual(all.get("@acme/bar")?.origin, { kind: "registry", url: bar });
  });

const elsewhere = [
  "file:../x",
  "link:./x",
  "workspace:*",
  "git+https://example.test/x.git",
  "github:acme/x",
  "acme/x#v1",
  "https://example.test/x.tgz",
];
for (const value of elsewhere)
  test(`"${value}" has no registry`, (t) => {
    const [dependency] = npmAndYarn.parse(
      repository({ "package.json": json({ dependencies: { x: value } }) }),
      none,
    ).dependencies;
    t.is(dependency?.origin.kind, "none");
  });

test("unreadable manifests are reported with their position, and parsing continues", (t) => {
  const sources = repository({
    "package.json": json({ workspaces: ["a", "b"] }),
    "a/package.json": '{\n  "name": "a",\n  "dependencies": { "foo": }\n}\n',
    "b/package.json": json({ name: "b", dependencies: { foo: "^1.0.0" } }),
    "package-lock.json": "{",
  });
  const { dependencies, broken } = npmAndYarn.parse(sources, none);
  t.deepEqual(
    dependencies.map(({ name }) => name),
    ["foo"],
  );
  t.deepEqual(broken.map(({ file }) => file).sort(), ["a/package.json", "package-lock.json"]);
  t.regex(
    broken.find(({ file }) => file === "a/package.json")?.why ?? "",
    /a\/package\.json:3 is not JSON/,
  );
});

test("a project is a library if its registry has the same description", async (t) => {
  await using registry = await npmRegistry({ mine: { "1.0.0": {} } });
  await using tools = workshop();
  const settings: ManagerSettings = {
    registries: [{ manager: "npm_and_yarn", url: registry.url }],
  };
  const library = (about: object): Promise<boolean> => {
    const found = npmAndYarn.parse(repository({ "package.json": json(about) }), settings);
    return npmAndYarn.isLibrary(found, tools.lookup);
  };
  registry.interrupt(({ url }) =>
    url === "/mine" ? { status: 200, body: json({ description: "does things" }) } : undefined,
  );
  t.true(await library({ name: "mine", version: "1.0.0", description: "does things" }));
  t.false(await library({ name: "mine", version: "1.0.0", description: "does other things" }));
  t.false(await library({ name: "other", version: "1.0.0", description: "does things" }));
  t.false(
    await library({ name: "mine", version: "1.0.0", description: "does things", private: true }),
  );
});
