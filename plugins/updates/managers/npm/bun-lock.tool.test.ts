/** bun.lock, by bun: what is expected is what bun itself writes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { fetched, needs } from "../../../../tests/support/needs.js";
import { isLong } from "../../../../tests/support/runs.js";
import type { UpdatePolicy } from "../../decide/contract.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { type NpmRegistry, npmRegistry } from "../../testing/npm-registry.js";
import { bun, publishTool } from "../../testing/package-tools.js";
import {
  byHand,
  dependencies,
  files,
  type Kind,
  manifest,
  OLD,
  POLICY,
  publishNews,
  settingsFor,
  updated,
} from "../../testing/tool-projects.js";
import { bunFormat, bunLockVersions } from "./lockfile/bun.js";
import { npmAndYarn } from "./manager.js";

const withBun = needs(test, fetched("bun-*", "bun"));
const LOCK = "bun.lock";

/** bun has a hundred megabytes: it is fetched once for all of these. */
const kept = mkdtempSync(join(tmpdir(), "reeve-tools-"));
test.after.always(() => rmSync(kept, { recursive: true, force: true }));
test.beforeEach((t) => t.timeout(120_000));

const kindOf = async (): Promise<Kind> => ({
  tool: await bun(),
  lock: LOCK,
  args: ["install", "--lockfile-only", "--ignore-scripts"],
  settings: (url) => ({ ".npmrc": `registry=${url}/\n` }),
});

type Files = Readonly<Record<string, string>>;

/** The project with bun's lock file, in a registry that has bun. */
async function locked(registry: NpmRegistry, project: Files = files()): Promise<Files> {
  const kind = await kindOf();
  await publishTool(registry, kind.tool);
  return Object.fromEntries(await byHand(kind, new Map(Object.entries(project)), registry));
}

const projects: Readonly<Record<string, (version: string) => Files>> = {
  "one package": () => files(),
  "a version that the repository names": (version) => files({ packageManager: `bun@${version}` }),
  "workspaces and another name": (version) => ({
    "package.json": manifest({
      ...{ name: "app", packageManager: `bun@${version}` },
      ...{ workspaces: ["packages/*"], dependencies },
    }),
    "packages/a/package.json": manifest({
      ...{ name: "a", version: "1.0.0" },
      devDependencies: { foo: "^1.0.0", other: "npm:foo@^1.0.0", inner: "^1.0.0" },
    }),
  }),
};
/** The last one has everything. */
const tried = Object.entries(projects).slice(isLong ? 0 : -1);
for (const [what, projectOf] of tried)
  withBun.serial(`bun, ${what}: the lock moves as bun moves it`, async (t) => {
    const kind = await kindOf();
    await using registry = await npmRegistry(OLD);
    await using tools = workshop({ kept });
    const before = await locked(registry, projectOf(kind.tool.version));
    publishNews(registry);
    const edit = await updated(repository(before), "foo", settingsFor(registry.url), tools);
    t.deepEqual(edit.lock, { kind: "refreshed", tier: "tool", by: `bun ${kind.tool.version}` });
    const manifests = [...edit.files].filter(([file]) => file !== LOCK);
    const all = new Map([...Object.entries(before), ...manifests]);
    const theirs = await byHand(kind, all, registry);
    t.deepEqual({ ...before, ...Object.fromEntries(edit.files) }, Object.fromEntries(theirs));
    t.not(theirs.get(LOCK), before[LOCK]);
  });

withBun.serial("bun: the version that was decided is locked, style kept", async (t) => {
  await using registry = await npmRegistry(OLD);
  await using tools = workshop({ kept });
  const old = await locked(registry);
  publishNews(registry);
  registry.publish("foo", "1.2.0");
  const sources = repository({ ...old, [LOCK]: (old[LOCK] ?? "").replaceAll("\n", "\r\n") });
  const policy: UpdatePolicy = {
    ...POLICY,
    lockfileOnly: true,
    ignore: [{ dependency: "foo", versions: [">=1.2"] }],
  };
  const edit = await updated(sources, "foo", settingsFor(registry.url), tools, policy);
  t.deepEqual([...edit.files.keys()], [LOCK]);
  const text = edit.files.get(LOCK) ?? "";
  t.regex(text, /"foo@1\.1\.0"/);
  t.is(text.replaceAll("\r\n", "").includes("\n"), false);
});

withBun.serial("bun: transitive packages move as far as their dependents allow", async (t) => {
  await using registry = await npmRegistry({ ...OLD, inner: { "1.0.0": {} } });
  await using tools = workshop({ kept });
  const old = await locked(registry);
  registry.publish("inner", "1.0.4");
  registry.publish("inner", "2.0.0");
  const sources = repository(old);
  const settings = settingsFor(registry.url);
  const found = npmAndYarn.parse(sources, settings).dependencies;
  const dependency = found.find((each) => each.name === "inner");
  if (!dependency) return t.fail("inner was not found");
  const move = (version: string) =>
    npmAndYarn.update(
      { sources, settings, changes: [{ dependency, to: { version }, requirements: [] }] },
      tools,
    );
  const edit = await move("1.0.4");
  t.deepEqual([...edit.files.keys()], [LOCK]);
  t.regex(edit.files.get(LOCK) ?? "", /"inner@1\.0\.4"/);
  await t.throwsAsync(move("2.0.0"), { code: "does_not_resolve" });
});

withBun.serial("bun: a registry with authentication gets the credential", async (t) => {
  await using registry = await npmRegistry(OLD);
  const old = await locked(registry);
  publishNews(registry);
  const authorization = `Basic ${Buffer.from("robot:pass:word").toString("base64")}`;
  registry.authorization = authorization;
  await using tools = workshop({ kept, credentials: [{ url: registry.url, authorization }] });
  const edit = await updated(repository(old), "foo", settingsFor(registry.url), tools);
  t.is(edit.lock.kind, "refreshed");
  t.false(JSON.stringify([...edit.files]).includes("cm9ib3Q"));
});

withBun.serial("bun: a missing version does not resolve", async (t) => {
  await using registry = await npmRegistry(OLD);
  await using tools = workshop({ kept });
  const old = await locked(registry);
  registry.publish("foo", "1.1.0", { dependencies: { inner: "^7.0.0" } });
  await t.throwsAsync(updated(repository(old), "foo", settingsFor(registry.url), tools), {
    code: "does_not_resolve",
    message: /^bun cannot resolve the versions: .*inner/,
  });
});

const refused: Readonly<Record<string, readonly [more: (lock: string) => Files, note: RegExp]>> = {
  "settings that change the lock": [
    () => ({ "bunfig.toml": '[install]\nregistry = "https://r.example"\n' }),
    /`install` in bunfig\.toml is not read/,
  ],
  "the format of another bun": [
    (lock) => ({ [LOCK]: lock.replace('"lockfileVersion": 2', '"lockfileVersion": 99') }),
    /no known bun writes its format/,
  ],
  "a file in binary": [
    () => ({ [LOCK]: "", "bun.lockb": "x" }),
    /^bun\.lockb is not refreshed: it is not text\. Run `bun install --save-text-lockfile/,
  ],
};
for (const [what, [more, note]] of Object.entries(refused))
  withBun.serial(`bun: with ${what} the lock file is stale`, async (t) => {
    await using registry = await npmRegistry(OLD);
    await using tools = workshop({ kept });
    const old = await locked(registry);
    publishNews(registry);
    const all = Object.entries({ ...old, ...more(old[LOCK] ?? "") }).filter(
      ([, text]) => text !== "",
    );
    const sources = repository(Object.fromEntries(all));
    const read = async () => sources.files;
    const settings = settingsFor(registry.url);
    const edit = await updated(sources, "foo", settings, { ...tools, read });
    t.deepEqual([...edit.files.keys()], ["package.json"]);
    t.regex(edit.lock.kind === "stale" ? edit.lock.note : "", note);
  });

const TEXT = `{
  "lockfileVersion": 1,
  "workspaces": {
    "": { "name": "app", "dependencies": { "foo": "^1.0.0", "b": "workspace:*", "old": "npm:foo@^0.9", }, },
    "packages/b": { "name": "b", "dependencies": { "foo": "^2.0.0", }, },
  },
  "packages": {
    "@acme/x": ["@acme/x@1.2.3-rc.1", "", {}, "sha512-a=="],
    "b": ["b@workspace:packages/b"],
    "foo": ["foo@1.1.0", "", {}, "sha512-b=="],
    "git": ["git@github:acme/git#abc", {}, "abc"],
    "old": ["foo@0.9.0", "", {}, "sha512-c=="],
    "b/foo": ["foo@2.3.0", "", {}, "sha512-d=="],
  },
}
`;

test("bun.lock: the version is that of the member, aliases have their own", (t) => {
  const { version, all } = bunLockVersions(TEXT);
  t.is(version("", "foo"), "1.1.0");
  t.is(version("packages/b", "foo"), "2.3.0");
  t.is(version("packages/b", "@acme/x"), "1.2.3-rc.1");
  t.is(version("", "old"), "0.9.0");
  t.is(version("", "b"), undefined);
  t.deepEqual(
    all.map(({ name, version: locked }) => `${name}@${locked}`),
    ["@acme/x@1.2.3-rc.1", "foo@1.1.0", "foo@0.9.0", "foo@2.3.0"],
  );
  t.is(bunFormat(TEXT), "1");
  t.is(bunFormat(TEXT.replace('"workspaces"', '"configVersion": 1, "workspaces"')), "1+");
});

test("bun.lock: one that is broken is reported, package.json is read", (t) => {
  for (const text of ["{", "[", "1", "null"]) {
    const sources = repository({ ...files(), [LOCK]: text });
    const { broken, dependencies: found } = npmAndYarn.parse(
      sources,
      settingsFor("https://r.example"),
    );
    t.is(found.length, 2);
    t.regex(broken[0]?.why ?? "", /^bun\.lock cannot be read: .+\.$/);
  }
});
