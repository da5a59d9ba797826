/** Indirect dependencies in lock files are known, and updated only for advisories. */
import test from "ava";
import { decide } from "../decide/decide.js";
import { repository } from "../testing/manager-fixture.js";
import { managerOf, type PackageManager } from "./index.js";

const SUM = "a".repeat(64);
const CRATES = "registry+https://github.com/rust-lang/crates.io-index";

/** `left` is declared, and needs `deep`. */
const projects: Readonly<
  Partial<Record<PackageManager, Readonly<Record<string, string | object>>>>
> = {
  npm_and_yarn: {
    "package.json": { dependencies: { left: "^1.0.0" } },
    "package-lock.json": {
      lockfileVersion: 3,
      packages: {
        "": { dependencies: { left: "^1.0.0" } },
        "node_modules/left": { version: "1.0.0", dependencies: { deep: "^1.0.0" } },
        "node_modules/deep": { version: "1.0.0" },
      },
    },
  },
  composer: {
    "composer.json": { require: { "acme/left": "^1.0" } },
    "composer.lock": {
      packages: [
        { name: "acme/left", version: "1.0.0", require: { "acme/deep": "^1" } },
        { name: "acme/deep", version: "1.0.0" },
      ],
    },
  },
  bundler: {
    Gemfile: 'source "https://gems.example.test"\ngem "left"\n',
    "Gemfile.lock":
      "GEM\n  remote: https://gems.example.test/\n  specs:\n    deep (1.0.0)\n    left (1.0.0)\n      deep (~> 1.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  left\n",
  },
  cargo: {
    "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\n\n[dependencies]\nleft = "1"\n',
    "Cargo.lock": `version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\ndependencies = [\n "left",\n]\n\n[[package]]\nname = "deep"\nversion = "1.0.0"\nsource = "${CRATES}"\nchecksum = "${SUM}"\n\n[[package]]\nname = "left"\nversion = "1.0.0"\nsource = "${CRATES}"\nchecksum = "${SUM}"\ndependencies = [\n "deep",\n]\n`,
  },
  hex: {
    "mix.exs": 'defmodule A do\n  def project, do: [app: :a, deps: [{:left, "~> 1.0"}]]\nend\n',
    "mix.lock": `%{\n  "deep": {:hex, :deep, "1.0.0", "${SUM}", [:mix], [], "hexpm", "${SUM}"},\n  "left": {:hex, :left, "1.0.0", "${SUM}", [:mix], [{:deep, "~> 1.0", [hex: :deep, repo: "hexpm", optional: false]}], "hexpm", "${SUM}"},\n}\n`,
  },
  go_modules: {
    "go.mod":
      "module example.test/a\n\ngo 1.19\n\nrequire (\n\texample.test/left v1.0.0\n\texample.test/deep v1.0.0 // indirect\n)\n",
  },
  pip: {
    "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.8"\nleft = "^1.0"\n',
    "poetry.lock":
      '[[package]]\nname = "deep"\nversion = "1.0.0"\n\n[[package]]\nname = "left"\nversion = "1.0.0"\n\n[package.dependencies]\ndeep = "*"\n\n[metadata]\nlock-version = "2.0"\n',
  },
  nuget: {
    "a.csproj":
      '<Project><ItemGroup><PackageReference Include="Left" Version="1.0.0" /></ItemGroup></Project>',
    "packages.lock.json": {
      version: 1,
      dependencies: {
        "net8.0": {
          Left: { type: "Direct", requested: "[1.0.0, )", resolved: "1.0.0", contentHash: "x" },
          Deep: { type: "Transitive", resolved: "1.0.0", contentHash: "x" },
        },
      },
    },
  },
  gradle: {
    "build.gradle": 'dependencies {\n  implementation "acme:left:1.0.0"\n}\n',
    "gradle.lockfile":
      "acme:deep:1.0.0=compileClasspath\nacme:left:1.0.0=compileClasspath\nempty=\n",
  },
  dep: {
    "Gopkg.toml": '[[constraint]]\n  name = "github.com/acme/left"\n  version = "1.0.0"\n',
    "Gopkg.lock":
      '[[projects]]\n  name = "github.com/acme/deep"\n  revision = "x"\n  version = "v1.0.0"\n\n[[projects]]\n  name = "github.com/acme/left"\n  revision = "x"\n  version = "v1.0.0"\n',
  },
};

for (const [id, files] of Object.entries(projects))
  test(`${id}: a dependency of left is updated for an advisory only`, async (t) => {
    const manager = await managerOf(id as PackageManager);
    const texts = Object.entries(files).map(([name, text]) => [
      name,
      typeof text === "string" ? text : JSON.stringify(text, null, 2),
    ]);
    const { dependencies, broken } = manager.parse(repository(Object.fromEntries(texts)), {
      registries: [],
    });
    t.deepEqual(broken, []);
    const [deep, ...others] = dependencies.filter(({ declarations }) => declarations.length === 0);
    if (!deep || others.length > 0) return t.fail(JSON.stringify(dependencies));
    t.regex(deep.name, /deep$/);
    t.regex(deep.lockedBy ?? "", /lock|go\.mod/);
    const v = deep.current?.startsWith("v") ? "v" : "";
    const said = (fixed?: string) =>
      decide({
        ...{ manager, dependency: deep, runtime: {}, library: false, now: 0 },
        available: { releases: ["1.2.0", "1.0.1", "2.0.0"].map((one) => ({ version: v + one })) },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        advisories:
          fixed === undefined
            ? []
            : [
                {
                  ...{ id: "X", aliases: [], summary: "" },
                  affected: {
                    ...{ ecosystem: "any", name: deep.name, versions: [] },
                    ranges: [{ kind: "versions", events: [{ introduced: "0" }, { fixed }] }],
                  },
                },
              ],
      });
    t.like(said(), { kind: "none", reason: "indirect" });
    t.like(said("1.0.1"), { kind: "update", from: `${v}1.0.0`, to: `${v}1.0.1` });
    t.like(said("9.0.0"), { kind: "none", reason: "no_fix" });
  });
