/** What moves alone moves without npm's resolver, and the lock is the one that the resolver would have written. */
import test from "ava";
import { UpdatesError } from "../../../errors.js";
import { repository, type Workshop, workshop } from "../../../testing/manager-fixture.js";
import { npmItself } from "../../../testing/npm-itself.js";
import { type NpmRegistry, npmRegistry, type Packages } from "../../../testing/npm-registry.js";
import { settingsFor, updated } from "../../../testing/tool-projects.js";
import type { ProjectSources, Tools, UpdateEdit } from "../../contract.js";

type About = Packages[string][string];
type Manifests = Readonly<Record<string, object>>;

/** The manifests with the lock that npm makes of them. */
async function locked(
  manifests: Manifests,
  registry: NpmRegistry,
  format: number,
): Promise<ProjectSources> {
  const files = Object.entries(manifests).map(
    ([path, manifest]) => [path, `${JSON.stringify(manifest, null, 2)}\n`] as const,
  );
  const all = await npmItself(new Map(files), registry, `--lockfile-version=${format}`);
  return repository(Object.fromEntries(all));
}

/** The same tools on a registry that tells nothing of single versions: then npm's resolver has the say. */
const resolverOnly = (tools: Workshop): Tools => ({
  ...tools,
  lookup: {
    ...tools.lookup,
    fetch: (question) => {
      if (question.purpose === "version") throw new UpdatesError("package_unknown", "Not told.");
      return tools.lookup.fetch(question);
    },
    references: (url) => tools.lookup.references(url),
    fresh: () => tools.lookup.fresh(),
  },
});

const by = ({ lock }: UpdateEdit): string => (lock.kind === "refreshed" ? lock.by : lock.kind);

interface Case {
  readonly what: string;
  /** The one that moves, before and after. */
  readonly before?: About;
  readonly after?: About;
  readonly others?: Packages;
  readonly manifests?: Manifests;
  readonly format?: number;
  /** Of the files after npm has locked them. */
  readonly drift?: (file: string, text: string) => string;
  readonly taken: boolean;
}

const root = (more: object = {}): Manifests => ({
  "package.json": { name: "app", version: "1.0.0", dependencies: { foo: "^1.0.0", ...more } },
});
const inner: Packages = { inner: { "1.0.0": {}, "1.4.0": {} } };

const cases: readonly Case[] = [
  { what: "a package without dependencies", taken: true },
  {
    what: "requirements that what is there fits",
    before: { dependencies: { inner: "^1.0.0" } },
    after: { dependencies: { inner: "^1.2.0" } },
    others: inner,
    taken: true,
  },
  {
    what: "another minimal Node",
    before: { engines: { node: ">=12" } },
    after: { engines: { node: ">=18" } },
    taken: true,
  },
  {
    what: "a peer that stays",
    before: { peerDependencies: { inner: "1.x" } },
    after: { peerDependencies: { inner: "1.x" } },
    others: inner,
    taken: true,
  },
  {
    what: "others that allow it",
    others: { other: { "1.0.0": { dependencies: { foo: "^1.0.0" } } } },
    manifests: root({ other: "1.0.0" }),
    taken: true,
  },
  {
    what: "a program of the same name",
    before: { bin: { f: "f.js" } },
    after: { bin: { f: "f.js" } },
    taken: true,
  },
  {
    what: "members of a workspace",
    manifests: {
      "package.json": { name: "root", workspaces: ["packages/*"] },
      "packages/a/package.json": { name: "a", version: "1.0.0", dependencies: { foo: "^1.0.0" } },
      "packages/b/package.json": { name: "b", devDependencies: { foo: "^1.0.0", a: "^1.0.0" } },
    },
    taken: true,
  },
  { what: "a deprecation that is over", before: { deprecated: "old" }, taken: true },
  {
    what: "a dependency more",
    after: { dependencies: { inner: "^1.0.0" } },
    others: inner,
    taken: false,
  },
  {
    what: "a dependency less",
    before: { dependencies: { inner: "^1.0.0" } },
    others: inner,
    taken: false,
  },
  {
    what: "a requirement that what is there does not fit",
    before: { dependencies: { inner: "1.0.0" } },
    after: { dependencies: { inner: "1.4.0" } },
    others: inner,
    taken: false,
  },
  {
    what: "another package that requires the old version",
    others: { other: { "1.0.0": { dependencies: { foo: "1.0.0" } } } },
    manifests: root({ other: "1.0.0" }),
    taken: false,
  },
  {
    what: "another name by which it is used",
    manifests: root({ alias: "npm:foo@^1.0.0" }),
    taken: false,
  },
  { what: "another program", after: { bin: { f: "f.js" } }, taken: false },
  { what: "format 1", format: 1, taken: false },
  { what: "format 2", format: 2, taken: false },
  {
    what: "a manifest that was changed without its lock",
    others: inner,
    drift: (file, text) =>
      file === "package.json" ? text.replace('"foo"', '"inner": "^1.0.0",\n    "foo"') : text,
    taken: false,
  },
  {
    what: "a lock with a package that nothing requires",
    drift: (file, text) =>
      file === "package-lock.json"
        ? text.replace(
            '"node_modules/foo": {',
            '"node_modules/stray": { "version": "1.0.0" },\n    "node_modules/foo": {',
          )
        : text,
    taken: false,
  },
  {
    what: "a lock that is of another registry",
    drift: (_file, text) => text.replace(/http:\/\/[^/"]+\/foo/, "https://elsewhere.test/foo"),
    taken: false,
  },
];

for (const { what, before, after, others, manifests, format = 3, drift, taken } of cases)
  test.serial(`${what}: ${taken ? "it moves alone" : "npm's resolver decides"}`, async (t) => {
    await using registry = await npmRegistry({ ...others, foo: { "1.0.0": before ?? {} } });
    await using tools = workshop();
    const sources = await locked(manifests ?? root(), registry, format);
    const files = new Map(
      [...sources.files].map(([file, text]) => [file, drift ? drift(file, text) : text]),
    );
    registry.publish("foo", "1.1.0", after);
    const settings = settingsFor(registry.url);
    const edit = await updated({ ...sources, files }, "foo", settings, tools);
    t.is(by(edit) === "reeve", taken, by(edit));
    const theirs = await updated({ ...sources, files }, "foo", settings, resolverOnly(tools));
    t.regex(by(theirs), /^arborist/);
    t.deepEqual(edit.files, theirs.files);
  });

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % sides;
  };
}

/** Packages that want some of those after them, by ranges that differ, some beside themselves. */
function forest(roll: (sides: number) => number): Packages {
  const count = 24;
  const packages: Record<string, Record<string, About>> = {};
  for (let index = 0; index < count; index += 1) {
    const versions: Record<string, About> = {};
    for (const version of ["1.0.0", "1.1.0", "2.0.0"].slice(0, 1 + roll(3))) {
      const dependencies: Record<string, string> = {};
      const peerDependencies: Record<string, string> = {};
      for (let edge = roll(4); edge > 0 && index < count - 1; edge -= 1) {
        const name = `p-${index + 1 + roll(count - 1 - index)}`;
        const range = ["^1.0.0", "*", ">=1", "~1.0.0"][roll(4)] ?? "*";
        if (roll(6) === 0) peerDependencies[name] = "*";
        else dependencies[name] = range;
      }
      versions[version] = { dependencies, peerDependencies };
    }
    packages[`p-${index}`] = versions;
  }
  return packages;
}

for (const seed of [1, 3, 4, 5, 6])
  test.serial(
    `forest ${seed}: whatever moves alone, the resolver moves the same way`,
    async (t) => {
      const roll = dice(seed);
      await using registry = await npmRegistry(forest(roll));
      await using tools = workshop();
      const direct = Array.from({ length: 8 }, (_, index) => [`p-${index}`, "*"]);
      const sources = await locked(
        { "package.json": { name: "app", dependencies: Object.fromEntries(direct) } },
        registry,
        3,
      );
      const lock = JSON.parse(sources.files.get("package-lock.json") ?? "");
      const settings = settingsFor(registry.url);
      let alone = 0;
      for (const [name] of direct) {
        const { dependencies, peerDependencies, version } = lock.packages[`node_modules/${name}`];
        const next = version.replace(/\d+$/, "9");
        registry.publish(String(name), next, { dependencies, peerDependencies });
        const pinned = new Map(sources.files);
        const manifest = (pinned.get("package.json") ?? "").replace(
          `"${name}": "*"`,
          `"${name}": "${version}"`,
        );
        pinned.set("package.json", manifest);
        const own = JSON.parse(pinned.get("package-lock.json") ?? "");
        own.packages[""].dependencies[String(name)] = version;
        pinned.set("package-lock.json", `${JSON.stringify(own, null, 2)}\n`);
        const at = { ...sources, files: pinned };
        const edit = await updated(at, String(name), settings, tools);
        if (by(edit) !== "reeve") continue;
        alone += 1;
        const theirs = await updated(at, String(name), settings, resolverOnly(tools));
        t.deepEqual(edit.files, theirs.files, String(name));
      }
      t.true(alone > 0, "some of them move alone");
    },
  );
