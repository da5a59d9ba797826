/** Lock files of pnpm and of Yarn 2 and later, by the tool of the repository. What is expected is what the tool itself writes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { isLong } from "../../../../tests/support/runs.js";
import type { UpdatePolicy } from "../../decide/contract.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import { pnpm, publishTool, yarn } from "../../testing/package-tools.js";
import {
  byHand,
  dependencies,
  KINDS,
  locked,
  manifest,
  OLD,
  POLICY,
  publishNews,
  settingsFor,
  updated,
} from "../../testing/tool-projects.js";
import type { Tools, UpdateEdit } from "../contract.js";
import { npmAndYarn } from "./manager.js";

/** The tools are fetched once for all of these. */
const kept = mkdtempSync(join(tmpdir(), "reeve-tools-"));
test.after.always(() => rmSync(kept, { recursive: true, force: true }));
// A package manager is started several times; a small machine may take its time.
test.beforeEach((t) => t.timeout(120_000));

const projects: ReadonlyArray<
  readonly [what: string, kind: keyof typeof KINDS, files: Readonly<Record<string, string>>]
> = [
  ["one package", "pnpm", { "package.json": manifest({ name: "app", dependencies }) }],
  ["one package", "yarn", { "package.json": manifest({ name: "app", dependencies }) }],
  [
    "a version that the repository names",
    "pnpm",
    {
      "package.json": manifest({
        name: "app",
        packageManager: `pnpm@${pnpm.version}`,
        dependencies,
      }),
    },
  ],
  [
    "an override alone",
    "pnpm",
    {
      "package.json": manifest({ name: "app", dependencies: { "@acme/bar": "^1.0.0" } }),
      "pnpm-workspace.yaml": "overrides:\n  foo: 1.0.0 # keep\n  'inner@1': 1.2.0\n",
    },
  ],
  [
    "a resolution alone",
    "yarn",
    {
      "package.json": manifest({
        name: "app",
        dependencies: { "@acme/bar": "^1.0.0" },
        resolutions: { foo: "1.0.0" },
      }),
    },
  ],
  [
    "a resolution beside the dependency",
    "yarn",
    {
      "package.json": manifest({
        name: "app",
        dependencies: { "@acme/bar": "^1.0.0", foo: "^1.0.0" },
        resolutions: { foo: "1.0.0" },
      }),
    },
  ],
  [
    "workspaces and another name",
    "yarn",
    {
      "package.json": manifest({
        name: "app",
        packageManager: `yarn@${yarn.version}`,
        workspaces: ["packages/*"],
        dependencies,
      }),
      "packages/a/package.json": manifest({
        name: "a",
        version: "1.0.0",
        devDependencies: { foo: "^1.0.0", other: "npm:foo@^1.0.0", inner: "^1.0.0" },
      }),
    },
  ],
  [
    "workspaces and a catalog",
    "pnpm",
    {
      "package.json": manifest({
        name: "app",
        packageManager: `pnpm@${pnpm.version}`,
        dependencies: { foo: "catalog:" },
      }),
      "pnpm-workspace.yaml": "packages:\n  - packages/*\ncatalog:\n  foo: ^1.0.0 # all of us\n",
      "packages/a/package.json": manifest({
        name: "a",
        version: "1.0.0",
        devDependencies: { foo: "catalog:", inner: "~1.0.0" },
      }),
    },
  ],
];
/** Of all others each part is in one of these, or in a test below. */
const few = /^(an override alone|a resolution alone|workspaces and .*)$/;
const tried = projects.filter(([what]) => isLong || few.test(what));
for (const [what, name, files] of tried)
  test.serial(`${name}, ${what}: the lock moves as the tool moves it`, async (t) => {
    await using registry = await npmRegistry(OLD);
    await using tools = workshop({ kept });
    await publishTool(registry, KINDS[name].tool);
    const kind = KINDS[name];
    const before = await byHand(kind, new Map(Object.entries(files)), registry);
    publishNews(registry);
    const sources = repository(Object.fromEntries(before));
    const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
    t.deepEqual(edit.lock, { kind: "refreshed", tier: "tool", by: `${name} ${kind.tool.version}` });
    const manifests = [...edit.files].filter(([file]) => file !== kind.lock);
    const theirs = await byHand(kind, new Map([...before, ...manifests]), registry);
    t.deepEqual(new Map([...before, ...edit.files]), theirs);
    t.notDeepEqual(theirs, before);
  });

for (const name of ["pnpm", "yarn"] as const) {
  const kind = KINDS[name];

  const decide = async (): Promise<UpdateEdit> => {
    await using registry = await npmRegistry(OLD);
    await publishTool(registry, kind.tool);
    const old = await locked(name, registry);
    const lock = old[kind.lock] ?? "";
    publishNews(registry);
    registry.publish("foo", "1.2.0");
    const authorization = `Basic ${Buffer.from("robot:pass:word").toString("base64")}`;
    registry.authorization = authorization;
    await using tools = workshop({ kept, credentials: [{ url: registry.url, authorization }] });
    const sources = repository({ ...old, [kind.lock]: lock.replaceAll("\n", "\r\n") });
    const policy: UpdatePolicy = {
      ...POLICY,
      lockfileOnly: true,
      ignore: [{ dependency: "foo", versions: [">=1.2"] }],
    };
    return await updated(sources, "foo", settingsFor(registry.url), tools, policy);
  };
  let decision: Promise<UpdateEdit> | undefined;
  /** One update, of which two tests tell a fact each. */
  const decided = (): Promise<UpdateEdit> => {
    decision ??= decide();
    return decision;
  };

  test.serial(`${name}: the version that was decided is locked, style kept`, async (t) => {
    const edit = await decided();
    t.deepEqual([...edit.files.keys()], [kind.lock]);
    const text = edit.files.get(kind.lock) ?? "";
    t.regex(text, /foo@(npm:)?1\.1\.0/);
    t.notRegex(text, /foo@(npm:)?1\.2\.0/);
    t.is(text.replaceAll("\r\n", "").includes("\n"), false);
  });

  test.serial(`${name}: transitive packages move as far as their dependents allow`, async (t) => {
    await using registry = await npmRegistry({ ...OLD, inner: { "1.0.0": {} } });
    await using tools = workshop({ kept });
    await publishTool(registry, kind.tool);
    const old = await locked(name, registry);
    registry.publish("inner", "1.0.4");
    registry.publish("inner", "2.0.0");
    const sources = repository(old);
    const settings = settingsFor(registry.url);
    const dependency = npmAndYarn
      .parse(sources, settings)
      .dependencies.find((each) => each.name === "inner");
    if (!dependency) return t.fail("inner was not found");
    const move = (version: string) =>
      npmAndYarn.update(
        { sources, settings, changes: [{ dependency, to: { version }, requirements: [] }] },
        tools,
      );
    const edit = await move("1.0.4");
    t.deepEqual([...edit.files.keys()], [kind.lock]);
    t.regex(edit.files.get(kind.lock) ?? "", /inner@(npm:)?1\.0\.4/);
    t.notRegex(edit.files.get(kind.lock) ?? "", /inner@(npm:)?1\.0\.0/);
    await t.throwsAsync(move("2.0.0"), { code: "does_not_resolve" });
  });

  test.serial(`${name}: a registry with authentication gets the credential`, async (t) => {
    const edit = await decided();
    t.is(edit.lock.kind, "refreshed");
    t.false(JSON.stringify([...edit.files]).includes("cm9ib3Q"));
  });

  test.serial(`${name}: a missing version does not resolve`, async (t) => {
    await using registry = await npmRegistry(OLD);
    await using tools = workshop({ kept });
    await publishTool(registry, kind.tool);
    const old = await locked(name, registry);
    registry.publish("foo", "1.1.0", { dependencies: { inner: "^7.0.0" } });
    const error = await t.throwsAsync(
      updated(repository(old), "foo", settingsFor(registry.url), tools),
      { code: "does_not_resolve" },
    );
    t.regex(error?.message ?? "", /inner/);
  });
}

for (const name of isLong ? (["pnpm", "yarn"] as const) : (["pnpm"] as const))
  test.serial(
    `${name}: a member's own configuration moves the lock of its workspace`,
    async (t) => {
      await using registry = await npmRegistry(OLD);
      await using tools = workshop({ kept });
      await publishTool(registry, KINDS[name].tool);
      const project = {
        "package.json": manifest({ name: "root", private: true, workspaces: ["packages/*"] }),
        ...(name === "pnpm" ? { "pnpm-workspace.yaml": "packages:\n  - packages/*\n" } : {}),
        "packages/a/package.json": manifest({ name: "a", version: "1.0.0", dependencies }),
        "packages/b/package.json": manifest({
          ...{ name: "b", version: "1.0.0" },
          dependencies: { a: "workspace:*", foo: "^1.0.0" },
        }),
      };
      const before = await byHand(KINDS[name], new Map(Object.entries(project)), registry);
      publishNews(registry);
      const sources = repository(Object.fromEntries(before), { directory: "/packages/a" });
      const settings = settingsFor(registry.url);
      t.deepEqual(
        npmAndYarn.parse(sources, settings).dependencies.map((each) => [each.name, each.current]),
        [
          ["foo", "1.0.0"],
          ["@acme/bar", "1.0.0"],
        ],
      );
      const edit = await updated(sources, "foo", settings, tools);
      t.is(edit.lock.kind, "refreshed");
      const { lock } = KINDS[name];
      t.deepEqual([...edit.files.keys()].sort(), ["packages/a/package.json", lock].sort());
      const manifests = [...edit.files].filter(([file]) => file !== lock);
      const theirs = await byHand(KINDS[name], new Map([...before, ...manifests]), registry);
      t.is(edit.files.get(lock), theirs.get(lock));
    },
  );

test.serial(
  "in a sandbox the tool comes along: nothing of the daemon's directories is named",
  async (t) => {
    await using registry = await npmRegistry(OLD);
    const fenced = mkdtempSync(join(tmpdir(), "reeve-fenced-"));
    t.teardown(() => rmSync(fenced, { recursive: true, force: true }));
    await using tools = workshop({ kept, fenced });
    await publishTool(registry, yarn);
    const old = await locked("yarn", registry);
    publishNews(registry);
    const requests: string[] = [];
    const watched: Tools = {
      ...tools,
      run: (request) => {
        requests.push(JSON.stringify(request));
        return tools.run(request);
      },
    };
    const edit = await updated(repository(old), "foo", settingsFor(registry.url), watched);
    t.is(edit.lock.kind, "refreshed");
    t.is(requests.length, 2);
    t.true(requests.every((each) => each.includes(fenced)));
    t.false(requests.some((each) => each.includes(kept) || each.includes(tools.scratch)));
  },
);
