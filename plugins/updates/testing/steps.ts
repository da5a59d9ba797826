/** A dependency of each manager, with a newer patch, minor, major version and prerelease. */
import type { FilePattern } from "../managers/contract.js";
import type { PackageManager } from "../managers/index.js";

const SHA = "8e5e7e5ab8b370d6c329ec480221332ada57f0ab";

export interface Steps {
  readonly files: Readonly<Record<string, string>>;
  readonly submodules?: Readonly<Record<string, string>>;
  readonly patterns?: readonly FilePattern[];
  readonly name: string;
  readonly from: string;
  readonly patch: string;
  readonly minor: string;
  readonly major: string;
  readonly prerelease?: string;
  /** The requirement now, and after each strategy moves to `major`. */
  readonly required: string;
  readonly bumped: string;
  readonly widened: string;
  /** The newest version that the current requirement allows; with a lock file only. */
  readonly inRange?: string;
  /** `major` and all later versions, as a requirement of the manager. */
  readonly ignoring: string;
}

const usual = { from: "1.0.0", patch: "1.0.1", minor: "1.2.0", major: "2.1.0" };

export const steps: Readonly<Record<PackageManager, Steps>> = {
  npm_and_yarn: {
    ...usual,
    files: {
      "package.json": `{ "dependencies": { "left": "^1.0.0" } }\n`,
      "package-lock.json": `{ "lockfileVersion": 3, "packages": { "": { "dependencies": { "left": "^1.0.0" } }, "node_modules/left": { "version": "1.0.0" } } }\n`,
    },
    ...{ name: "left", prerelease: "3.0.0-rc.1", inRange: "1.2.0", ignoring: ">=2" },
    ...{ required: "^1.0.0", bumped: "^2.1.0", widened: "^1.0.0 || ^2.1.0" },
  },
  bundler: {
    ...usual,
    files: {
      Gemfile: `source "https://gems.example.test"\ngem "left", "~> 1.0"\n`,
      "Gemfile.lock": `GEM\n  remote: https://gems.example.test/\n  specs:\n    left (1.0.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  left (~> 1.0)\n\nBUNDLED WITH\n   2.3.15\n`,
    },
    ...{ name: "left", prerelease: "3.0.0.rc1", inRange: "1.2.0", ignoring: ">= 2" },
    ...{ required: "~> 1.0", bumped: "~> 2.1", widened: ">= 1.0, < 3" },
  },
  composer: {
    ...usual,
    files: {
      "composer.json": `{ "require": { "acme/left": "^1.0" } }\n`,
      "composer.lock": `{ "packages": [{ "name": "acme/left", "version": "1.0.0" }] }\n`,
    },
    ...{ name: "acme/left", prerelease: "3.0.0-RC1", inRange: "1.2.0", ignoring: ">=2.0" },
    ...{ required: "^1.0", bumped: "^2.1", widened: "^1.0 || ^2.1" },
  },
  docker: {
    files: { Dockerfile: "FROM acme/left:1.0.0-slim\n" },
    ...{ name: "acme/left", from: "1.0.0-slim", patch: "1.0.1-slim", minor: "1.2.0-slim" },
    ...{ major: "2.1.0-slim", ignoring: ">= 2" },
    ...{ required: "1.0.0-slim", bumped: "2.1.0-slim", widened: "2.1.0-slim" },
  },
  maven: {
    ...usual,
    files: {
      "pom.xml": `<project><dependencies><dependency><groupId>acme</groupId><artifactId>left</artifactId><version>1.0.0</version></dependency></dependencies></project>\n`,
    },
    ...{ name: "acme:left", prerelease: "3.0.0-M1", ignoring: "[2.0,)" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
  elm: {
    ...usual,
    files: {
      "elm.json": `{ "type": "application", "elm-version": "0.19.1", "dependencies": { "direct": { "acme/left": "1.0.0" }, "indirect": {} } }\n`,
    },
    ...{ name: "acme/left", ignoring: "2.0.0 <= v < 3.0.0" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
  submodules: {
    files: {
      ".gitmodules": `[submodule "left"]\n\tpath = left\n\turl = https://example.test/left.git\n\tbranch = v1.0.0\n`,
    },
    submodules: { left: SHA },
    ...{ name: "https://example.test/left", from: "v1.0.0", patch: "v1.0.1", minor: "v1.2.0" },
    ...{ major: "v2.1.0", prerelease: "v3.0.0-rc1", ignoring: ">= v2" },
    ...{ required: "v1.0.0", bumped: "v2.1.0", widened: "v2.1.0" },
  },
  hex: {
    ...usual,
    files: {
      "mix.exs": `defmodule A do\n  def project, do: [app: :a, deps: [{:left, "~> 1.0"}]]\nend\n`,
      "mix.lock": `%{\n  "left": {:hex, :left, "1.0.0", "${"a".repeat(64)}", [:mix], [], "hexpm", "${"b".repeat(64)}"},\n}\n`,
    },
    ...{ name: "left", prerelease: "3.0.0-rc.1", inRange: "1.2.0", ignoring: ">= 2.0.0" },
    ...{ required: "~> 1.0", bumped: "~> 2.1", widened: "~> 1.0 or ~> 2.1" },
  },
  cargo: {
    ...usual,
    files: {
      "Cargo.toml": `[package]\nname = "a"\nversion = "0.1.0"\n\n[dependencies]\nleft = "1.0"\n`,
      "Cargo.lock": `version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\ndependencies = [\n "left",\n]\n\n[[package]]\nname = "left"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${"a".repeat(64)}"\n`,
    },
    ...{ name: "left", prerelease: "3.0.0-rc.1", inRange: "1.2.0", ignoring: ">=2" },
    ...{ required: "1.0", bumped: "2.1", widened: ">=1.0, <3.0" },
  },
  gradle: {
    ...usual,
    files: { "build.gradle": `dependencies {\n  implementation "acme:left:1.0.0"\n}\n` },
    ...{ name: "acme:left", prerelease: "3.0.0-rc-1", ignoring: "[2.0,)" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
  nuget: {
    ...usual,
    files: {
      "a.csproj": `<Project><ItemGroup><PackageReference Include="Acme.Left" Version="1.0.0" /></ItemGroup></Project>\n`,
    },
    ...{ name: "acme.left", prerelease: "3.0.0-rc.1", ignoring: "[2.0,)" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
  dep: {
    files: {
      "Gopkg.toml": `[[constraint]]\n  name = "github.com/acme/left"\n  version = "1.0.0"\n`,
      "Gopkg.lock": `[[projects]]\n  name = "github.com/acme/left"\n  packages = ["."]\n  revision = "${SHA}"\n  version = "v1.0.0"\n`,
    },
    ...{ name: "github.com/acme/left", from: "v1.0.0", patch: "v1.0.1", minor: "v1.2.0" },
    ...{ major: "v2.1.0", prerelease: "v3.0.0-rc.1", inRange: "v1.2.0", ignoring: ">=2.0.0" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: ">=1.0.0, <3.0.0" },
  },
  go_modules: {
    files: {
      "go.mod": "module example.test/a\n\ngo 1.19\n\nrequire example.test/left v0.9.0\n",
      "go.sum": "example.test/left v0.9.0 h1:x\nexample.test/left v0.9.0/go.mod h1:y\n",
    },
    ...{ name: "example.test/left", from: "v0.9.0", patch: "v0.9.1", minor: "v0.10.0" },
    ...{ major: "v1.1.0", prerelease: "v1.2.0-rc.1", ignoring: ">= v1.0.0" },
    ...{ required: "v0.9.0", bumped: "v1.1.0", widened: "v1.1.0" },
  },
  pip: {
    ...usual,
    files: { "requirements.txt": "left==1.0.0\n" },
    ...{ name: "left", prerelease: "3.0.0rc1", ignoring: ">=2" },
    ...{ required: "==1.0.0", bumped: "==2.1.0", widened: "==2.1.0" },
  },
  terraform: {
    ...usual,
    files: {
      "main.tf": `terraform {\n  required_providers {\n    left = { source = "acme/left", version = "~> 1.0" }\n  }\n}\n`,
      ".terraform.lock.hcl": `provider "registry.terraform.io/acme/left" {\n  version     = "1.0.0"\n  constraints = "~> 1.0"\n  hashes = [\n    "h1:x",\n  ]\n}\n`,
    },
    ...{ name: "acme/left", prerelease: "3.0.0-rc1", inRange: "1.2.0", ignoring: ">= 2.0" },
    ...{ required: "~> 1.0", bumped: "~> 2.1", widened: ">= 1.0, < 3.0.0" },
  },
  host_actions: {
    files: {
      ".github/workflows/ci.yml": `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: acme/left@v1.0.0\n`,
    },
    ...{ name: "acme/left", from: "v1.0.0", patch: "v1.0.1", minor: "v1.2.0", major: "v2.1.0" },
    ...{ prerelease: "v3.0.0-rc1", ignoring: ">= v2" },
    ...{ required: "v1.0.0", bumped: "v2.1.0", widened: "v2.1.0" },
  },
  helm: {
    ...usual,
    files: {
      "Chart.yaml": `apiVersion: v2\nname: app\nversion: 0.1.0\ndependencies:\n  - name: left\n    version: ^1.0.0\n    repository: https://charts.example.test\n`,
      "Chart.lock": `dependencies:\n- name: left\n  repository: https://charts.example.test\n  version: 1.0.0\ndigest: sha256:x\ngenerated: "2026-01-01T00:00:00Z"\n`,
    },
    ...{ name: "left", prerelease: "3.0.0-rc.1", inRange: "1.2.0", ignoring: ">=2" },
    ...{ required: "^1.0.0", bumped: "^2.1.0", widened: "^1.0.0 || ^2.1.0" },
  },
  devcontainers: {
    ...usual,
    files: {
      ".devcontainer.json": `{ "features": { "ghcr.io/acme/left:1": {} } }\n`,
      ".devcontainer-lock.json": `{ "features": { "ghcr.io/acme/left:1": { "version": "1.0.0", "resolved": "ghcr.io/acme/left@sha256:0", "integrity": "sha256:0" } } }\n`,
    },
    ...{ name: "ghcr.io/acme/left", prerelease: "3.0.0-rc.1", inRange: "1.2.0", ignoring: ">= 2" },
    ...{ required: "1", bumped: "2", widened: "2" },
  },
  kustomize: {
    ...usual,
    files: {
      "kustomization.yaml": `helmCharts:\n  - name: left\n    repo: https://charts.example.test\n    version: 1.0.0\n`,
    },
    ...{ name: "left", prerelease: "3.0.0-rc.1", ignoring: ">= 2" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
  gitlab_ci: {
    files: {
      ".gitlab-ci.yml": `include:\n  - project: acme/left\n    ref: v1.0.0\n    file: /a.yml\n`,
    },
    ...{ name: "acme/left", from: "v1.0.0", patch: "v1.0.1", minor: "v1.2.0", major: "v2.1.0" },
    ...{ prerelease: "v3.0.0-rc1", ignoring: ">= v2" },
    ...{ required: "v1.0.0", bumped: "v2.1.0", widened: "v2.1.0" },
  },
  pre_commit: {
    files: {
      ".pre-commit-config.yaml": `repos:\n  - repo: https://git.example.test/acme/left\n    rev: v1.0.0\n    hooks: [{ id: a }]\n`,
    },
    ...{ name: "https://git.example.test/acme/left", from: "v1.0.0", patch: "v1.0.1" },
    ...{ minor: "v1.2.0", major: "v2.1.0", prerelease: "v3.0.0-rc1", ignoring: ">= v2" },
    ...{ required: "v1.0.0", bumped: "v2.1.0", widened: "v2.1.0" },
  },
  runtimes: {
    ...usual,
    files: { "mise.toml": `[tools]\n"npm:left" = "1.0.0"\n` },
    ...{ name: "npm:left", prerelease: "3.0.0-rc.1", ignoring: ">= 2" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
  patterns: {
    ...usual,
    files: { Makefile: "LEFT = 1.0.0\n" },
    patterns: [
      {
        ...{ name: "left", files: ["Makefile"], strategy: "any", source: "npm", package: "left" },
        match: [{ source: "LEFT = (?<version>\\S+)", flags: "" }],
      },
    ],
    ...{ name: "left", prerelease: "3.0.0-rc.1", ignoring: ">= 2" },
    ...{ required: "1.0.0", bumped: "2.1.0", widened: "2.1.0" },
  },
};
