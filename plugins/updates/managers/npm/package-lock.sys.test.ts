/** package-lock.json is refreshed in process, to the byte as npm itself would. */
import test from "ava";
import { UpdatesError } from "../../errors.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmItself } from "../../testing/npm-itself.js";
import { npmRegistry, type Packages } from "../../testing/npm-registry.js";
import { POLICY, settingsFor, updated } from "../../testing/tool-projects.js";
import { npmAndYarn } from "./manager.js";

const PACKAGES: Packages = {
  "left-foo": {
    "2.0.0": { dependencies: { "inner-a": "^1.0.0" } },
    "2.0.3": { dependencies: { "inner-a": "^1.0.0" } },
    "3.0.0": {
      dependencies: { "inner-a": "^1.2.0", "inner-b": "^1.0.0" },
      engines: { node: ">=18" },
    },
  },
  "right-foo": { "1.0.0": { dependencies: { "inner-a": "~1.0.0" } }, "1.1.0": {} },
  "inner-a": { "1.0.0": {}, "1.0.4": {}, "1.2.0": {} },
  "inner-b": { "1.0.0": { bin: { b: "b.js" } } },
  "@acme/tool": { "0.1.0": {}, "0.1.2": {} },
};

const manifests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "one package": {
    "package.json": `{\n  "name": "app",\n  "dependencies": {\n    "left-foo": "^2.0.0",\n    "right-foo": "^1.0.0"\n  },\n  "devDependencies": {\n    "@acme/tool": "~0.1.0"\n  }\n}\n`,
  },
  "an override alone": {
    "package.json": `{\n  "name": "app",\n  "dependencies": {\n    "right-foo": "^1.0.0"\n  },\n  "overrides": {\n    "inner-a": "1.0.0"\n  }\n}\n`,
  },
  "an override and a dependency": {
    "package.json": `{\n  "name": "app",\n  "dependencies": {\n    "left-foo": "2.0.0",\n    "right-foo": "^1.0.0"\n  },\n  "overrides": {\n    "left-foo": "2.0.0"\n  }\n}\n`,
  },
  workspaces: {
    "package.json": `{\n  "name": "root",\n  "workspaces": ["packages/*"],\n  "dependencies": { "right-foo": "1.0.0" }\n}\n`,
    "packages/a/package.json": `{\n  "name": "a",\n  "version": "1.0.0",\n  "dependencies": { "left-foo": "^2.0.0", "b": "^1.0.0" }\n}\n`,
    "packages/b/package.json": `{\n  "name": "b",\n  "version": "1.0.0",\n  "devDependencies": { "left-foo": "^2.0.0", "other": "npm:right-foo@^1.0.0" }\n}\n`,
  },
};

/** Every version of the format, and what workspaces add. */
const cases = [
  { what: "one package", lockfileVersion: 1, name: "left-foo" },
  { what: "one package", lockfileVersion: 2, name: "right-foo" },
  { what: "one package", lockfileVersion: 3, name: "left-foo" },
  { what: "an override alone", lockfileVersion: 3, name: "inner-a" },
  { what: "an override and a dependency", lockfileVersion: 3, name: "left-foo" },
  { what: "workspaces", lockfileVersion: 3, name: "left-foo" },
  { what: "workspaces", lockfileVersion: 3, name: "right-foo" },
];

for (const { what, lockfileVersion, name } of cases)
  test.serial(
    `${what}, lock version ${lockfileVersion}: ${name} moves as npm moves it`,
    async (t) => {
      const old: Packages = {
        ...PACKAGES,
        "left-foo": { "2.0.0": PACKAGES["left-foo"]?.["2.0.0"] ?? {} },
        "right-foo": { "1.0.0": PACKAGES["right-foo"]?.["1.0.0"] ?? {} },
      };
      await using registry = await npmRegistry(old);
      await using tools = workshop();
      const format = `--lockfile-version=${lockfileVersion}`;
      const files = new Map(Object.entries(manifests[what] ?? {}));
      const before = await npmItself(files, registry, format);
      for (const moving of ["left-foo", "right-foo"])
        for (const [version, about] of Object.entries(PACKAGES[moving] ?? {}))
          registry.publish(moving, version, about);

      const edit = await updated(
        repository(Object.fromEntries(before)),
        name,
        settingsFor(registry.url),
        tools,
      );
      t.is(edit.lock.kind, "refreshed");
      const edited = [...edit.files].filter(([file]) => file !== "package-lock.json");
      const theirs = await npmItself(new Map([...before, ...edited]), registry, format);
      t.deepEqual(new Map([...before, ...edit.files]), theirs);
      t.notDeepEqual(theirs, before);
    },
  );

test.serial("a member's own configuration moves the lock of its workspace", async (t) => {
  const { "left-foo": moving, ...others } = PACKAGES;
  await using registry = await npmRegistry({
    ...others,
    "left-foo": { "2.0.0": moving?.["2.0.0"] ?? {} },
  });
  await using tools = workshop();
  const before = await npmItself(new Map(Object.entries(manifests.workspaces ?? {})), registry);
  registry.publish("left-foo", "2.0.3", moving?.["2.0.3"]);
  const sources = repository(Object.fromEntries(before), { directory: "/packages/a" });
  const edit = await updated(sources, "left-foo", settingsFor(registry.url), tools);
  t.is(edit.lock.kind, "refreshed");
  t.deepEqual([...edit.files.keys()].sort(), ["package-lock.json", "packages/a/package.json"]);
  const edited = [...edit.files].filter(([file]) => file !== "package-lock.json");
  const theirs = await npmItself(new Map([...before, ...edited]), registry);
  t.deepEqual(new Map([...before, ...edit.files]), theirs);
});

test.serial("the version that was decided is locked, though a newer one is out", async (t) => {
  await using registry = await npmRegistry({ foo: { "1.0.0": {} } });
  await using tools = workshop();
  const manifest = `{ "name": "app", "dependencies": { "foo": "^1.0.0" } }`;
  const before = await npmItself(new Map([["package.json", manifest]]), registry);
  registry.publish("foo", "1.1.0");
  registry.publish("foo", "1.2.0");
  const policy = { ...POLICY, ignore: [{ dependency: "foo", versions: [">=1.2"] }] };
  const edit = await updated(
    repository(Object.fromEntries(before)),
    "foo",
    settingsFor(registry.url),
    tools,
    policy,
  );
  const lock = JSON.parse(edit.files.get("package-lock.json") ?? "");
  t.is(lock.packages["node_modules/foo"].version, "1.1.0");
  t.is(lock.packages[""].dependencies.foo, "^1.1.0");
});

test.serial(
  "a lock with CRLF, tabs, a byte order mark and no final newline keeps them",
  async (t) => {
    await using registry = await npmRegistry({ foo: { "1.0.0": {} } });
    await using tools = workshop();
    const manifest = `{ "name": "app", "dependencies": { "foo": "^1.0.0" } }`;
    const before = await npmItself(new Map([["package.json", manifest]]), registry);
    registry.publish("foo", "1.1.0");
    const lock = JSON.parse(before.get("package-lock.json") ?? "");
    const odd = `\uFEFF${JSON.stringify(lock, null, "\t").replaceAll("\n", "\r\n")}`;
    const sources = repository({ "package.json": manifest, "package-lock.json": odd });
    const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
    const after = edit.files.get("package-lock.json") ?? "";
    const expected = JSON.parse(after.slice(1));
    t.is(after, `\uFEFF${JSON.stringify(expected, null, "\t").replaceAll("\n", "\r\n")}`);
    t.is(expected.packages["node_modules/foo"].version, "1.1.0");
  },
);

test.serial("a version that another package's peers forbid does not resolve", async (t) => {
  await using registry = await npmRegistry({
    base: { "1.0.0": {} },
    addon: { "1.0.0": { peerDependencies: { base: "^1.0.0" } } },
  });
  await using tools = workshop();
  const manifest = `{ "name": "app", "dependencies": { "addon": "^1.0.0", "base": "^1.0.0" } }`;
  const before = await npmItself(new Map([["package.json", manifest]]), registry);
  registry.publish("base", "2.0.0");
  const error = await t.throwsAsync(
    updated(repository(Object.fromEntries(before)), "base", settingsFor(registry.url), tools),
    { instanceOf: UpdatesError },
  );
  t.is(error?.code, "does_not_resolve");
});

test.serial("a transitive package moves to a fix as far as its dependents allow", async (t) => {
  await using registry = await npmRegistry({
    outer: { "1.0.0": { dependencies: { inner: "^1.0.0" } } },
    inner: { "1.0.0": {} },
  });
  await using tools = workshop();
  const manifest = `{ "name": "app", "dependencies": { "outer": "^1.0.0" } }`;
  const before = await npmItself(new Map([["package.json", manifest]]), registry);
  registry.publish("inner", "1.0.4");
  registry.publish("inner", "2.0.0");
  const sources = repository(Object.fromEntries(before));
  const settings = { registries: [{ manager: "npm_and_yarn" as const, url: registry.url }] };
  const dependency = npmAndYarn
    .parse(sources, settings)
    .dependencies.find(({ name }) => name === "inner");
  if (!dependency) return t.fail("inner was not found");
  const move = (version: string) =>
    npmAndYarn.update(
      { sources, settings, changes: [{ dependency, to: { version }, requirements: [] }] },
      tools,
    );
  const edit = await move("1.0.4");
  t.deepEqual([...edit.files.keys()], ["package-lock.json"]);
  const lock = JSON.parse(edit.files.get("package-lock.json") ?? "");
  t.is(lock.packages["node_modules/inner"].version, "1.0.4");
  const error = await t.throwsAsync(move("2.0.0"), { instanceOf: UpdatesError });
  t.is(error?.code, "does_not_resolve");
});
