/** What Cargo.toml files say, in every form, and what requirements mean, against Cargo itself. */
import test from "ava";
import fc from "fast-check";
import { needs, program } from "../../../../tests/support/needs.js";
import { runs } from "../../../../tests/support/runs.js";
import { cargoRegistry } from "../../testing/cargo-registry.js";
import { repository } from "../../testing/manager-fixture.js";
import type { Strategy } from "../contract.js";
import { readCargoLock } from "./lockfile.js";
import { cargo } from "./manager.js";
import { indexPath } from "./registry.js";
import { cargoRequirement, cargoVersioning } from "./versions.js";

const withCargo = needs(test, program("cargo"));

const none = { registries: [] };

test("every form of a dependency", (t) => {
  const text = `[package]
name = "app"
rust-version = "1.70"

[dependencies]
plain = "1.2"
table = { version = "^0.3", features = ["x"] }
renamed = { package = "real", version = "=1.0.0" }
local = { path = "../local" }
remote = { git = "https://user:secret@git.example.test/x" }
private = { version = "1", registry = "acme" }
unknown = { version = "1", registry = "elsewhere" }

[dependencies.section]
version = '2' # keep

[dev-dependencies]
only-tests = "1"

[build-dependencies]
builder = "1"

[target.'cfg(unix)'.dependencies]
unix = "0.1"
`;
  const config = `[registries.acme]\nindex = "sparse+https://crates.acme.example/index/"\n`;
  const sources = repository({ "Cargo.toml": text, ".cargo/config.toml": config });
  t.deepEqual(cargo.filesToRead(sources), ["Cargo.toml", ".cargo/config.toml"]);
  const { dependencies, broken, runtime } = cargo.parse(sources, none);
  t.deepEqual(broken, []);
  t.deepEqual(runtime, { rust: "1.70" });
  const usual = "https://index.crates.io";
  t.deepEqual(
    dependencies.map(({ name, development, origin, declarations }) => [
      name,
      development,
      origin.kind === "registry" ? origin.url : origin.kind === "none" ? origin.why : "",
      ...declarations.map(({ range, section }) => [section, text.slice(range.start, range.end)]),
    ]),
    [
      ["plain", false, usual, ["dependencies", "1.2"]],
      ["table", false, usual, ["dependencies", "^0.3"]],
      ["real", false, usual, ["dependencies", "=1.0.0"]],
      ["local", false, "local is at ../local in the repository."],
      ["remote", false, "remote comes from the repository https://git.example.test/x."],
      ["private", false, "https://crates.acme.example/index", ["dependencies", "1"]],
      [
        "unknown",
        false,
        "unknown comes from the registry elsewhere, which has no sparse index that is known here.",
        ["dependencies", "1"],
      ],
      ["section", false, usual, ["dependencies", "2"]],
      ["only-tests", true, usual, ["dev-dependencies", "1"]],
      ["builder", false, usual, ["build-dependencies", "1"]],
      ["unix", false, usual, ["target.cfg(unix).dependencies", "0.1"]],
    ],
  );
});

test("a workspace: members by pattern and by path, what they inherit, what is excluded", (t) => {
  const files = {
    "Cargo.toml": `[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/not"]\n\n[workspace.dependencies]\nshared = "1"\n`,
    "crates/a/Cargo.toml": `[package]\nname = "a"\n\n[dependencies]\nshared = { workspace = true }\nb = { path = "../../lib/b" }\n`,
    "crates/not/Cargo.toml": `[dependencies]\nnever = "1"\n`,
    "lib/b/Cargo.toml": `[package]\nname = "b"\n\n[dependencies]\ndeep = "1"\n`,
  };
  const sources = repository(files);
  t.deepEqual([...cargo.filesToRead(sources)].sort(), [
    "Cargo.toml",
    "crates/a/Cargo.toml",
    "lib/b/Cargo.toml",
  ]);
  const named = (directory: string): readonly string[] =>
    cargo
      .parse({ ...sources, directory }, none)
      .dependencies.filter(({ origin }) => origin.kind !== "none")
      .map(({ name }) => name);
  t.deepEqual(named("/"), ["shared", "deep"]);
  t.deepEqual(named("/crates/a"), ["shared"]);
});

test("versions come from the lock file of the workspace, the others in it are indirect", (t) => {
  const source = "registry+https://github.com/rust-lang/crates.io-index";
  const crate = (name: string, version: string, more = ""): string =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\n${more}\n`;
  const from = `source = "${source}"\n`;
  const lock = `version = 3\n\n${crate("app", "0.1.0", 'dependencies = ["left 1.0.0"]\n')}${crate("left", "1.0.0", from)}${crate("left", "2.0.0", from)}${crate("deep", "3.0.0", from)}`;
  const sources = repository({
    "Cargo.toml": '[package]\nname = "app"\n\n[dependencies]\nleft = ">=1"\n',
    "Cargo.lock": lock,
  });
  const { dependencies } = cargo.parse(sources, none);
  t.deepEqual(
    dependencies.map(({ name, current, declarations, lockedBy }) => [
      name,
      current,
      declarations.length,
      lockedBy,
    ]),
    [
      ["left", "1.0.0", 1, "Cargo.lock"],
      ["left", "2.0.0", 0, "Cargo.lock"],
      ["deep", "3.0.0", 0, "Cargo.lock"],
    ],
  );
});

test("unreadable files are reported, and parsing continues", (t) => {
  const sources = repository({
    "Cargo.toml": `[workspace]\nmembers = ["a", "b"]\n`,
    "a/Cargo.toml": "[dependencies\nx = 1\n",
    "b/Cargo.toml": '[dependencies]\nleft = "1"\n',
    "Cargo.lock": "version = 3\n[[package]\n",
  });
  const { dependencies, broken } = cargo.parse(sources, none);
  t.deepEqual(
    dependencies.map(({ name }) => name),
    ["left"],
  );
  t.deepEqual(
    broken.map(({ file }) => file),
    ["Cargo.lock", "a/Cargo.toml"],
  );
  for (const { file, why } of broken) t.regex(why, new RegExp(`^${file}.*\\.$`));
});

test("no content of a repository makes parsing throw", (t) => {
  const word = fc.constantFrom(
    ...["[dependencies]", "[workspace]", "members", "=", '"*"', "{", "}", "version", "[[package]]"],
    ...[
      "path",
      '"../a"',
      "workspace",
      "true",
      "[",
      "]",
      ",",
      "\n",
      "a",
      "1",
      '"1"',
      "name",
      "package",
    ],
  );
  fc.assert(
    fc.property(fc.array(word), fc.array(word), (manifest, lock) => {
      const sources = repository({
        "Cargo.toml": manifest.join(" "),
        "Cargo.lock": lock.join(" "),
      });
      cargo.filesToRead(sources);
      cargo.parse(sources, none);
    }),
    { numRuns: runs(50, 500) },
  );
  t.pass();
});

const versions = [
  "0.0.3",
  "0.0.4",
  "0.3.0",
  "0.3.7",
  "0.4.0",
  "1.0.0-rc.1",
  "1.0.0",
  "1.2.0",
  "1.2.9",
];
const later = ["1.10.0", "2.0.0-alpha.1", "2.0.0", "2.3.4", "3.0.0-beta.2"];
const all = [...versions, ...later];
const requirements = [
  ...["1", "1.2", "1.2.0", "^1.2", "^0.3", "0.3.0", "0.0.3", "^0.0", "0", "~1", "~1.2", "~1.2.0"],
  ...[
    "=1.2.0",
    "=1.2",
    "=1",
    "*",
    "1.*",
    "1.2.*",
    ">1.2",
    ">=1.2, <2",
    ">1.2.0, <=2.0.0",
    "<=1.2",
    "<1",
  ],
  ...[
    "1.0.0-rc.1",
    "=1.0.0-rc.1",
    "^2.0.0-alpha",
    ">=2.0.0-alpha.1, <3",
    "~0.3",
    ">= 1.0, < 1.3",
    "<=1",
  ],
  ...["3.0.0-beta.1", "^0", "~0", ">0.3", "=2.0.0-alpha.1"],
];

withCargo("requirements mean the same as in Cargo", async (t) => {
  t.timeout(120_000);
  await using registry = await cargoRegistry();
  const names = requirements.map((_, position) => `crate-${position}`);
  for (const name of names) for (const version of all) await registry.publish(name, version);
  const lines = requirements.map((text, position) => `crate-${position} = "${text}"\n`).join("");
  const made = await registry.cargo(
    {
      "Cargo.toml": `[package]\nname = "app"\nversion = "0.1.0"\n\n[dependencies]\n${lines}`,
      "src/lib.rs": "",
    },
    ["generate-lockfile"],
  );
  const { crates } = readCargoLock(made["Cargo.lock"] ?? "");
  const theirs = new Map([...crates.values()].map(({ name, version }) => [name, version]));
  for (const [position, text] of requirements.entries()) {
    const mine = all
      .filter((version) => cargoVersioning.satisfies(version, text))
      .toSorted(cargoVersioning.compare)
      .at(-1);
    t.is(mine, theirs.get(`crate-${position}`), text);
  }
});

const moves: ReadonlyArray<
  readonly [requirement: string, to: string, strategy: Strategy, next: string]
> = [
  ["1.2", "1.3.0", "bump_versions_if_necessary", "1.2"],
  ["1.2", "1.3.0", "bump_versions", "1.3"],
  ["1.2", "2.1.4", "bump_versions_if_necessary", "2.1"],
  ["1", "2.1.4", "bump_versions_if_necessary", "2"],
  ["^0.3.1", "0.4.2", "bump_versions_if_necessary", "^0.4.2"],
  ["~1.2", "1.3.1", "bump_versions_if_necessary", "~1.3"],
  ["=1.0.0", "1.0.1", "bump_versions_if_necessary", "=1.0.1"],
  ["1.*", "2.1.0", "bump_versions_if_necessary", "2.*"],
  ["1.2.*", "1.3.5", "bump_versions_if_necessary", "1.3.*"],
  [">=1.0, <2.0", "2.3.1", "bump_versions_if_necessary", ">=1.0, <3.0"],
  [">=0.3, <0.4", "0.4.1", "bump_versions_if_necessary", ">=0.3, <0.5"],
  ["<=1.2", "2.0.0", "bump_versions_if_necessary", "<=2.0"],
  ["*", "2.0.0", "bump_versions", "*"],
  [">= 1", "2.0.0", "bump_versions", ">= 2"],
  ["1.2", "2.0.0", "lockfile_only", "1.2"],
  ["1.2", "2.1.0", "widen_ranges", ">=1.2, <3.0"],
  ["0.3", "0.4.0", "widen_ranges", ">=0.3, <0.5"],
  ["1.2", "1.3.0", "widen_ranges", "1.2"],
  ["1", "2.0.0-rc.1", "bump_versions", "2.0.0-rc.1"],
  ["nonsense", "2.0.0", "bump_versions", "nonsense"],
];
for (const [before, to, strategy, next] of moves)
  test(`${before} becomes ${next} for ${to} (${strategy})`, (t) => {
    t.is(cargoRequirement(before, to, strategy), next);
    if (strategy !== "lockfile_only" && before !== "nonsense")
      t.true(cargoVersioning.satisfies(to, next));
  });

const paths: ReadonlyArray<readonly [name: string, path: string]> = [
  ["a", "1/a"],
  ["ab", "2/ab"],
  ["abc", "3/a/abc"],
  ["Serde", "se/rd/serde"],
];
for (const [name, path] of paths)
  test(`${name} is at ${path} in an index`, (t) => t.is(indexPath(name), path));
