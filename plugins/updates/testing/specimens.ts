/** Manifests of every manager, in every form, whose values are edited one by one in `managers/edits.sys.test.ts`. */
import type { Manager, Release } from "../managers/contract.js";
import { managerOf } from "../managers/index.js";
import { runtimeSpecimens } from "./runtime-specimens.js";
import { DIGEST, SHA, servicesSpecimens } from "./services-specimens.js";

/** Manifests of a manager, and the dependencies that may change in them. */
interface Specimen {
  readonly manager: Manager;
  readonly files: Readonly<Record<string, string>>;
  readonly submodules?: Readonly<Record<string, string>>;
  readonly to: Release;
  /** Names of dependencies that may change. */
  readonly names: readonly string[];
}

export const specimens: Readonly<Record<string, Specimen>> = {
  "package.json with all sections": {
    manager: await managerOf("npm_and_yarn"),
    to: { version: "9.8.7" },
    names: ["alpha", "@scope/beta", "gamma", "delta", "real", "other"],
    files: {
      "package.json": `{
  "name": "app", "description": "größer ☃ 🎉",
  "dependencies": {
    "alpha": "^1.0.0",
    "@scope/beta" : "~2.3",
    "local": "file:../x",
    "aliased": "npm:real@^4.0.0"
  },
  "devDependencies": { "gamma": ">=1.0.0 <2.0.0" },
  "optionalDependencies": { "delta": "1.x" },
  "overrides": { "alpha": "^1.0.0", "other": "^1.0.0" }
}
`,
    },
  },
  "workspaces and catalogs": {
    manager: await managerOf("npm_and_yarn"),
    to: { version: "9.8.7" },
    names: ["alpha", "beta", "gamma"],
    files: {
      "package.json": `{ "name": "root", "private": true, "devDependencies": { "alpha": "1.0.0" } }\n`,
      "pnpm-workspace.yaml": `packages:\n  - "packages/*" # all\ncatalog:\n  beta: ^1.0.0   # keep\ncatalogs:\n  old:\n    gamma: '~1.0.0'\n`,
      "packages/a/package.json": `{ "name": "a", "dependencies": { "alpha": "^1.0.0", "beta": "catalog:" } }\n`,
    },
  },
  "a Dockerfile": {
    manager: await managerOf("docker"),
    to: { version: "99", pin: DIGEST },
    names: [
      ...["docker/dockerfile", "node", "ghcr.io/acme/base", "alpine", "golang", "localhost:5000/x"],
      ...["debian", "acme/tools", "acme/more"],
    ],
    files: {
      Dockerfile: `# syntax=docker/dockerfile:1
ARG ALPINE=3.18
FROM --platform=linux/amd64 node:20-alpine AS build
RUN echo "FROM fake:1" && \\
    FROM also-fake:2
RUN <<END
FROM nothing:3
END
from ghcr.io/acme/base:1.2.3@${DIGEST.replaceAll("ab", "cd")} as base
FROM alpine:\${ALPINE}
FROM scratch
FROM build
COPY --from=golang:1.22 /usr/local/go /go
COPY --from=localhost:5000/x:1 /a /b
FROM \\
  # a comment
  debian:12 \\
  AS last
RUN --mount=type=cache,target=/c --mount=type=bind,from=acme/tools:2,target=/t \\
    --mount=from=acme/more:1.5 make
RUN --mount=from=base make --mount=from=none:1
`,
    },
  },
  "Compose and Kubernetes": {
    manager: await managerOf("docker"),
    to: { version: "99" },
    names: ["redis", "acme/web", "busybox", "quay.io/acme/api", "acme/db", "acme/queue"],
    files: {
      "compose.yaml": `services:\n  cache:\n    image: "redis:7.2"   # fast\n  web:\n    image: acme/web:1.4\n    build: .\n  db:\n    image: \${DB_IMAGE:-acme/db:5.0.0}\n  queue:\n    image: "acme/queue:\${TAG-3.1}"\n`,
      "k8s.yaml": `apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      initContainers:\n        - image: busybox:1.36\n          name: wait\n---\napiVersion: v1\nkind: Service\n`,
      "values.yaml": `image:\n  registry: quay.io\n  repository: acme/api\n  tag: "2.1"\n`,
    },
  },
  "workflows and actions": {
    manager: await managerOf("host_actions"),
    to: { version: "v99.0.0", pin: "f".repeat(40) },
    names: [
      "actions/checkout",
      "acme/setup",
      "github/codeql-action",
      "acme/exact",
      "alpine",
      "node",
      "redis",
      "ghcr.io/acme/db",
    ],
    files: {
      ".github/workflows/ci.yml": `name: größer\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v3 # always\n      - uses: "acme/setup@${SHA}"  # v1.2.3\n      - uses: ./local\n      - uses: docker://alpine:3.18\n      - uses: github/codeql-action/init@v2\n      - uses: acme/exact@${SHA.replace("8", "9")}\n`,
      ".github/workflows/in-containers.yml": `on: push\njobs:\n  a:\n    runs-on: x\n    container: node:20-alpine # small\n    services:\n      cache: { image: "redis:7.2" }\n      db:\n        image: ghcr.io/acme/db:1.0\n  b:\n    runs-on: x\n    container:\n      image: 'node:20-alpine'\n  c:\n    container: \${{ matrix.image }}\n`,
      "action.yml": `runs:\n  using: composite\n  steps:\n    - uses: 'actions/checkout@v3'\n`,
    },
  },
  "go.mod": {
    manager: await managerOf("go_modules"),
    to: { version: "v1.9.9" },
    names: ["example.test/Left", "example.test/right", "example.test/alone", "example.test/fork"],
    files: {
      "go.mod": `// größer\nmodule example.test/app\n\ngo 1.17\n\nrequire example.test/alone v1.0.0\n\nrequire (\n\texample.test/Left   v1.0.0 // keep\n\t"example.test/right" v1.0.0\n)\n\nreplace example.test/old v0.1.0 => example.test/fork v1.0.0 // keep\n`,
    },
  },
  "Cargo.toml, a workspace": {
    manager: await managerOf("cargo"),
    to: { version: "99.1.2" },
    names: ["alpha", "beta", "real", "gamma", "delta", "epsilon"],
    files: {
      "Cargo.toml": `# größer 🎉\n[workspace]\nmembers = ["crates/*"]\n\n[workspace.dependencies]\nalpha = { version = "1.2", features = ["a"] } # keep\n`,
      "crates/a/Cargo.toml": `[package]\nname = "a"\n\n[dependencies]\nalpha.workspace = true\nbeta="1"\nold = {package = "real", version='~0.3.1'}\nlocal = { path = "../b", version = "1" }\n\n[dev-dependencies]\nbeta = "1.0"\n\n[target.'cfg(unix)'.dependencies.gamma]\n\tversion = ">= 1.0, < 2.0"\n`,
      "crates/b/Cargo.toml": `[build-dependencies]\n"delta" = "=1.0.0"\nepsilon = "1.*"\n`,
    },
  },
  "build.gradle with a catalog": {
    manager: await managerOf("gradle"),
    to: { version: "9.8.7" },
    names: ["org.acme:a", "org.acme:b", "org.acme:c", "org.acme:d", "com.acme.p"],
    files: {
      "build.gradle": `// größer 🎉 'org.acme:no:1'\nplugins { id 'com.acme.p' version "1.0" }\next.b = '2.0'\ndependencies {\n\timplementation 'org.acme:a:1.0' // why\n\tapi "org.acme:b:$b"\n\tapi group: 'org.acme', name: 'd', version: '1'\n}\n`,
      "gradle/libs.versions.toml": `[versions]\nc = "1.0" # größer\n[libraries]\nc = { module = "org.acme:c", version.ref = "c" }\n`,
    },
  },
  "a solution with central package management": {
    manager: await managerOf("nuget"),
    to: { version: "9.8.7" },
    names: ["acme.a", "acme.b", "acme.c", "acme.sdk", "acme-cli"],
    files: {
      "App.csproj": `<?xml version="1.0"?>\n<Project Sdk="Acme.Sdk/1.0.0">\n  <!-- größer 🎉 -->\n\t<ItemGroup>\n    <PackageReference Version='1.0.0' Include="Acme.A"></PackageReference>\n    <PackageReference Include="Acme.B"><Version> 1.1 </Version></PackageReference>\n  </ItemGroup>\n</Project>\n`,
      "Directory.Packages.props": `<Project><ItemGroup><PackageVersion Include="Acme.C" Version="[1.0]"/></ItemGroup></Project>\n`,
      ".config/dotnet-tools.json": `{ "tools": { "acme-cli": { "version": "9.0.0" } } }\n`,
    },
  },
  "elm.json of a package": {
    manager: await managerOf("elm"),
    to: { version: "9.8.7" },
    names: ["elm/core", "acme/ui"],
    files: {
      "elm.json": `{\n    "type": "package", "summary": "größer 🎉",\n\t"dependencies": { "elm/core": "1.0.0 <= v < 2.0.0" },\n    "test-dependencies": { "acme/ui" : "1.0.0 <= v < 2.0.0" }\n}\n`,
    },
  },
  "pom.xml with a module": {
    manager: await managerOf("maven"),
    to: { version: "9.8.7" },
    names: ["org.acme:a", "org.acme:b", "org.apache.maven.plugins:p"],
    files: {
      "pom.xml": `<?xml version="1.0"?>\n<project>\n  <!-- größer 🎉 <version>1.0</version> -->\n  <modules><module>m</module></modules>\n  <properties><b> 2.0 </b></properties>\n  <dependencies>\n    <dependency><groupId>org.acme</groupId><artifactId>a</artifactId><version>\n      1.0\n    </version></dependency>\n    <dependency><groupId>org.acme</groupId><artifactId>b</artifactId><version>\${b}</version></dependency>\n  </dependencies>\n</project>\n`,
      "m/pom.xml": `<project>\n\t<build><plugins><plugin><artifactId>p</artifactId><version>3</version></plugin></plugins></build>\n</project>\n`,
    },
  },
  "composer.json": {
    manager: await managerOf("composer"),
    to: { version: "99.1.0" },
    names: ["acme/alpha", "acme/beta", "acme/gamma"],
    files: {
      "composer.json": `{\n\t"name": "acme/app", "description": "größer \\/ 🎉",\n\t"require": {\n\t\t"php": ">=8.1",\n\t\t"ext-json": "*",\n\t\t"acme\\/alpha" : "^1.0",\n\t\t"Acme/Beta": "~2.3 || ^3.0@beta"\n\t},\n\t"require-dev": { "acme/gamma": "1.2.*" }\n}\n`,
    },
  },
  "Python, in every file": {
    manager: await managerOf("pip"),
    to: { version: "99.1.2" },
    names: [
      ...["alpha", "beta-x", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"],
      ...["kappa", "lambda", "mu", "nu"],
    ],
    files: {
      "requirements.txt": `# größer 🎉\nAlpha[extra1,extra2] == 1.0 ; python_version >= "3.8"  # keep\n\tbeta_X~=2.0\n-c more/constraints.txt\ngamma (>=1.0, <2)\n`,
      "more/constraints.txt": "alpha==1.0\n",
      "setup.cfg": `[options]\ninstall_requires =\n\tdelta==1.0\n    Alpha<2\n`,
      "setup.py": `setup(extras_require=dict(test=["nu==1.0"], docs=("kappa==2.0",)), install_requires=['epsilon==1.0;python_version>"3"', "gamma>=1.0,<2"])\n`,
      "pyproject.toml": `[project]\ndependencies = ["zeta[a] ~= 1.0", 'Beta.x==1.0', """lambda==1.0""", '''\nmu==2.0''']\n\n[tool.poetry.group.dev.dependencies]\neta = "^1.2"   # near\ntheta = {version = '~1.2', optional = true}\n`,
      Pipfile: `[packages]\n"iota" = "==1.0"\n`,
    },
  },
  "mix.exs of an umbrella": {
    manager: await managerOf("hex"),
    to: { version: "99.1.0" },
    names: ["alpha", "beta", "gamma"],
    files: {
      "mix.exs": `# größer 🎉\ndefmodule U do\n  def project, do: [apps_path: "apps", deps: deps()]\n  defp deps, do: [{:alpha,  "~> 1.0"}, {:gamma, ">= 1.0.0 and < 2.0.0", only: :test}] # {:no, "1.0.0"}\nend\n`,
      "apps/a/mix.exs": `defmodule A do\n\tdef project, do: [app: :a, deps: [{:alpha, "~> 1.2.3"}, {:renamed, "1.0.0", hex: :beta}]]\nend\n`,
    },
  },
  "a Gemfile and a gemspec": {
    manager: await managerOf("bundler"),
    to: { version: "99.1.0" },
    names: ["alpha", "beta", "gamma", "delta"],
    files: {
      Gemfile: `# größer 🎉\nsource "https://gems.example.test"\ngemspec\n\ngem 'alpha',  "~> 1.0" # keep\ngroup :test do\n\tgem("beta", ["1.2.3"], require: false)\nend\n`,
      "mine.gemspec": `Gem::Specification.new do |spec|\n  spec.add_dependency "gamma", "< 2.0"\n  spec.add_development_dependency(%q<delta>.freeze, ["<= 3.1"])\nend\n`,
    },
  },
  "Terraform and Terragrunt": {
    manager: await managerOf("terraform"),
    to: { version: "99.1.2" },
    names: [
      "hashicorp/aws",
      "hashicorp/old",
      "acme/vpc/aws",
      "acme/net/aws",
      "acme/db/aws",
      "x.example/a/b/c",
      "https://git.example.test/m",
    ],
    files: {
      "main.tf": `# größer 🎉\nterraform {\n  required_providers {\n    aws = { source = "hashicorp/aws", version = "~> 4.0" } // keep\n    old="= 2.0.0"\n  }\n}\nmodule "vpc" {\n\tsource = "acme/vpc/aws"\n\tversion="3.1.0"\n\tname = "\${var.x}"\n}\nmodule "local" { source = "./x" }\n`,
      "more.tofu": `module "g" {\n  source = "git::https://git.example.test/m.git//a?ref=v1.0.0"\n}\nmodule "h" {\n  source = "x.example/a/b/c"\n  version = ">= 1.0, < 2.0"\n}\n`,
      "locals.tf": `locals {\n  net_version = "1.4.0" # keep\n}\nmodule "n" {\n  source = "acme/net/aws"\n  version = local.net_version\n}\nmodule "o" {\n  source = "acme/net/aws"\n  version = "\${local.net_version}"\n}\n`,
      "locals.tf.json": `{ "locals": { "db": "~> 1.2" }, "module": { "d": { "source": "acme/db/aws", "version": "\${local.db}" } } }\n`,
      "terragrunt.hcl": `terraform {\n  source = "tfr:///acme/vpc/aws?version=3.5.0"\n}\n`,
      "json.tf.json": `{\n\t"//": "größer 🎉",\n\t"terraform": { "required_providers": { "old": "~> 1.0", "aws": { "version" : "<5", "source": "hashicorp/aws" } } },\n\t"module": { "v": [{ "source": "acme/vpc/aws", "version": "\\u003e= 1.0, < 2" }] }\n}\n`,
    },
  },
  "Gopkg.toml": {
    manager: await managerOf("dep"),
    to: { version: "v99.1.2", pin: SHA },
    names: ["github.com/acme/left", "golang.org/x/text"],
    files: {
      "Gopkg.toml": `# größer 🎉\n[[constraint]]\n\tname = "github.com/acme/left"\n\tversion = "v1.2.0" # keep\n[[override]]\n  version='~0.3'\n  name="golang.org/x/text"\n[[constraint]]\n  name = "github.com/acme/branch"\n  branch = "main"\n`,
    },
  },
  submodules: {
    manager: await managerOf("submodules"),
    to: { version: "v99.0.0", pin: "f".repeat(40) },
    names: ["https://example.test/b"],
    submodules: { "libs/a": SHA, "libs/b": SHA },
    files: {
      ".gitmodules": `[submodule "a"]\n\tpath = libs/a\n\turl = https://example.test/a.git\n[submodule "b"]\n\tpath = libs/b\n\turl = https://example.test/b.git # near\n\tbranch = v1.0.0\n`,
    },
  },
  ...servicesSpecimens,
  ...runtimeSpecimens,
};
