/** Gopkg.toml and Gopkg.lock with tags of a real git repository. */
import { join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { propose } from "../../decide/propose.js";
import { git } from "../../testing/fixture.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import type { Strategy } from "../contract.js";
import { dep } from "./manager.js";
import { depRequirement, depVersioning } from "./versions.js";

const none = { registries: [] };

const MANIFEST = `# größer
required = ["github.com/acme/tool"]

[[constraint]]
  name = "github.com/acme/left"
  version = "1.2.0" # keep

[[constraint]]
  branch = "master"
  name = "github.com/acme/branch"

[[constraint]]
  name = "gopkg.in/yaml.v2"
  version = "v2.0.0"

[[override]]
  name = "golang.org/x/text"
  version = "=0.3.0"

[[override]]
  name = "example.test/somewhere"
  version = "^1.0.0"
`;
const project = (name: string, version: string, revision: string): string =>
  `[[projects]]\n  digest = "1:aa"\n  name = "${name}"\n  packages = ["."]\n  pruneopts = "UT"\n  revision = "${revision}"\n  version = "${version}"\n\n`;

test("constraints, overrides, branches, and projects only in the lock file are parsed", (t) => {
  const sources = repository({
    "Gopkg.toml": MANIFEST,
    "Gopkg.lock":
      project("github.com/acme/left", "v1.2.3", "a".repeat(40)) +
      project("github.com/acme/deep", "v3.0.0", "b".repeat(40)),
  });
  t.deepEqual([...dep.filesToRead(sources)], ["Gopkg.toml", "Gopkg.lock"]);
  const { dependencies, broken } = dep.parse(sources, none);
  t.deepEqual(broken, []);
  t.deepEqual(
    dependencies.map(({ name, current, origin, declarations }) => [
      ...[name, current, origin.kind === "git" ? origin.url : origin.kind === "none" && origin.why],
      declarations.map(({ range }) => MANIFEST.slice(range.start, range.end)).join(),
    ]),
    [
      ["github.com/acme/left", "v1.2.3", "https://github.com/acme/left", "1.2.0"],
      [
        "github.com/acme/branch",
        undefined,
        "github.com/acme/branch follows the branch master.",
        "",
      ],
      ["gopkg.in/yaml.v2", undefined, "https://gopkg.in/yaml.v2", "v2.0.0"],
      ["golang.org/x/text", undefined, "https://go.googlesource.com/text", "=0.3.0"],
      [
        "example.test/somewhere",
        undefined,
        "The repository of example.test/somewhere is unknown.",
        "^1.0.0",
      ],
      ["github.com/acme/deep", "v3.0.0", "https://github.com/acme/deep", ""],
    ],
  );
});

/** Requirements with versions they allow and reject, from the tests of dep's own library. */
const meanings: ReadonlyArray<
  readonly [requirement: string, allowed: readonly string[], not: readonly string[]]
> = [
  ["*", ["1.2.3", "v0.1"], []],
  ["1.1.0", ["1.1.0", "v1.9"], ["2.0.0", "1.0.9"]],
  ["1.1", ["1.1.0", "1.4.0"], ["2.0.0"]],
  ["0.2.3", ["0.2.3", "0.2.9"], ["0.3.0"]],
  ["0.0.3", ["0.0.9"], ["0.1.0"]],
  ["^0.0.0", ["0.0.9"], ["0.1.9"]],
  ["v1.1.0-12-abc", ["1.1.0-12-abc", "1.1.0", "1.5.0"], ["1.1.1-12-abc", "2.0.0"]],
  ["~0.0.0", ["0.0.9"], ["0.1.9", "1.2.3"]],
  ["~1.1", ["1.1.1"], ["1.2.3"]],
  ["~1.x", ["1.3.5", "1.4"], ["2.1.1"]],
  ["~*", ["2.1.1"], []],
  ["^1.x", ["1.1.1"], ["2.1.1"]],
  ["= 2.0", ["2.0.0", "v2"], ["1.2.3"]],
  ["=1.x", ["1.4"], ["2.0.0"]],
  ["4.1.x", ["4.1.3"], ["5.0.0"]],
  ["!=4.1", ["5.1.0"], ["4.1.0"]],
  ["!=4.x", ["5.1.0", "3.0.0"], ["4.1.0"]],
  ["!=4.2.x", ["4.3.0"], ["4.2.3"]],
  [">1.1", ["4.1.0"], ["1.1.0"]],
  [">2.x", ["3.0.0"], ["2.9.9"]],
  ["<1.x", ["0.9.1"], ["1.1.1", "2.1.1"]],
  ["<1.1.x", ["1.0.500"], ["1.1.500"]],
  ["<=2.x", ["2.9.9"], ["3.0.0"]],
  ["<=1.1.x", ["1.1.9"], ["1.2.500"]],
  ["=< 1.2", ["1.2.0"], ["1.2.1"]],
  ["=> 1.2", ["1.2.0"], ["1.1.9"]],
  ["<=2.0.0", ["2.0.0"], ["2.0.0-alpha1"]],
  ["^2.1.0-alpha1", ["2.1.0-alpha2", "2.2.0"], ["2.1.1-alpha2", "2.1.0-alpha0"]],
  [">=1.1, <2, !=1.2.3", ["1.2.4"], ["1.2.3", "2.0.0"]],
  [">=1.1, <2, !=1.2.3 || > 3", ["3.1.2"], ["3.0.0", "1.2.3"]],
  ["1.1 - 2", ["1.1.1", "2.0.0"], ["2.0.1"]],
  ["1.1-3", ["3.0.0"], ["4.3.2"]],
  ["2-3 || 5", ["3.0.0", "5.5.0"], ["4.0.0"]],
  ["foo", [], ["1.0.0"]],
  [">= bar", [], ["1.0.0"]],
  ["~> 1.0", [], ["1.0.0"]],
  ["9007199254740991", [], ["9007199254740990.0.0"]],
];
for (const [requirement, allowed, not] of meanings)
  test(`${requirement} allows ${allowed.join(", ") || "nothing"}`, (t) => {
    for (const version of allowed) t.true(depVersioning.satisfies(version, requirement), version);
    for (const version of not) t.false(depVersioning.satisfies(version, requirement), version);
  });

test("tags of one to three numbers are versions with one order", (t) => {
  const order = ["v0.9", "v1", "1.1", "v1.2-rc.1", "v1.02.0", "1.10.0"];
  t.deepEqual(order.toReversed().toSorted(depVersioning.compare), order);
  t.deepEqual(
    ["", "v", "1.2.3.4", "release-1", "v1.x"].filter((tag) => depVersioning.isVersion(tag)),
    [],
  );
  t.deepEqual(
    ["*", "1.2", ">1.1", "2 - 3", "=2 || 1.5", "~1.2.3-rc", "foo"].map(depVersioning.floor),
    ["0.0.0", "1.2.0", "1.1.1", "2.0.0", "1.5.0", "1.2.3-rc", undefined],
  );
});

const moves: ReadonlyArray<
  readonly [requirement: string, to: string, strategy: Strategy, next: string]
> = [
  ["1.2.0", "v1.3.0", "bump_versions", "1.3.0"],
  ["v1.2.0", "v2.0.0", "bump_versions", "v2.0.0"],
  ["^1.2.0", "v1.3.0", "bump_versions", "^1.3.0"],
  ["~1.2", "v1.3.1", "bump_versions", "~1.3"],
  ["=1.2.0", "v1.3.0", "bump_versions", "=1.3.0"],
  [">=1.0.0, <2.0.0", "v2.3.0", "bump_versions", ">=1.0.0, <3.0.0"],
  ["=1.1", "v1.2", "bump_versions", "=1.2"],
  ["0.0.3", "v0.0.5", "bump_versions_if_necessary", "0.0.3"],
  [">=1.1, <2, !=1.5.0", "v2.3.0", "bump_versions", ">=1.1, <3, !=1.5.0"],
  ["=> 1.1, =< 1.9", "v2.3.0", "bump_versions", ">= 1.1, <= 2.3"],
  ["1.1 - 2", "v3.1.4", "bump_versions", "1.1 - 3.1.4"],
  ["1.1 - 2", "v1.5.0", "bump_versions", "1.1 - 2"],
  ["^1.0.0 || ^2.0.0", "v3.1.0", "bump_versions", "^1.0.0 || ^2.0.0 || ^3.1.0"],
  ["^1.0.0 || ^2.0.0", "v2.1.0", "bump_versions", "^1.0.0 || ^2.0.0"],
  ["*", "v2.1.0", "bump_versions", "*"],
  ["release-1", "v2.1.0", "bump_versions", "release-1"],
  ["1.2.0", "v1.3.0", "bump_versions_if_necessary", "1.2.0"],
  ["1.2.0", "v2.0.0", "lockfile_only", "1.2.0"],
];
for (const [before, to, strategy, next] of moves)
  test(`${before} becomes ${next} for ${to} (${strategy})`, (t) => {
    t.is(depRequirement(before, to, strategy), next);
  });

test("version and revision change in the lock file, and the note names the command to run", async (t) => {
  await using tools = workshop();
  const directory = join(tools.scratch, "left");
  await git(tools.scratch, "init", "--quiet", directory);
  const tagged = async (tag: string): Promise<string> => {
    await git(directory, "commit", "--quiet", "--allow-empty", "--message", tag);
    await git(directory, "tag", "--annotate", "--message", tag, tag);
    return git(directory, "rev-parse", "HEAD");
  };
  const first = await tagged("v1.2.0");
  const second = await tagged("v2.0.0");
  await tagged("nightly");
  await tagged("v2.1.0-rc.1");
  const manifest = (version: string): string =>
    `[[constraint]]\n  name = "github.com/acme/left"\n  source = "file://${directory}"\n  version = "${version}"\n`;
  const sources = repository({
    "Gopkg.toml": manifest("1.2.0"),
    "Gopkg.lock": project("github.com/acme/left", "v1.2.0", first),
  });
  const [dependency] = dep.parse(sources, none).dependencies;
  if (!dependency) return t.fail();
  const decision = await propose({
    ...{ manager: dep, dependency, runtime: {}, library: false, advisories: [], now: 0 },
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
    lookup: tools.lookup,
  });
  if (decision.kind === "none") return t.fail(decision.why);
  const edit = await dep.update({ sources, settings: none, changes: [decision.change] }, tools);
  t.deepEqual(
    [...edit.files],
    [
      ["Gopkg.toml", manifest("2.0.0")],
      ["Gopkg.lock", project("github.com/acme/left", "v2.0.0", second)],
    ],
  );
  if (edit.lock.kind !== "stale") return t.fail();
  t.regex(edit.lock.note, /run `dep ensure`/);
});

test("parsing never throws, and reports broken files", (t) => {
  const { broken } = dep.parse(
    repository({ "Gopkg.toml": "[[constraint]\n", "Gopkg.lock": "=" }),
    none,
  );
  t.deepEqual(
    broken.map(({ file }) => file),
    ["Gopkg.toml", "Gopkg.lock"],
  );
  const word = fc.constantFrom(
    ...[
      "[[constraint]]",
      "[[projects]]",
      "name",
      "=",
      '"a/b"',
      "\n",
      "version",
      '"1"',
      '"1.x - 99999999999999999999 || >=2,<v3"',
      "{",
      "[",
      "source",
    ],
  );
  fc.assert(
    fc.property(fc.array(word), fc.array(word), (manifest, lock) => {
      const files = { "Gopkg.toml": manifest.join(" "), "Gopkg.lock": lock.join(" ") };
      dep.parse(repository(files), none);
    }),
  );
});
