/** The package managers, a row each. The API, the language, the documentation and the advisories derive from these rows. */
import type { Manager } from "./contract.js";

export interface ManagerRow {
  /** The attribute `language` of a configuration. */
  readonly language: string;
  /** Other accepted spellings: those of the original service, and of configuration files v1 and v2. */
  readonly aliases: readonly string[];
  /** The ecosystem's name in advisories (OSV); undefined where there are none. */
  readonly ecosystem: string | undefined;
  /** Loads the parsers, which take memory: called when a repository uses the manager. */
  load(): Promise<Manager>;
}

export const managers = {
  bundler: {
    language: "ruby",
    aliases: ["ruby:bundler"],
    ecosystem: "RubyGems",
    load: async () => (await import("./bundler/manager.js")).bundler,
  },
  composer: {
    language: "php",
    aliases: ["php:composer"],
    ecosystem: "Packagist",
    load: async () => (await import("./composer/manager.js")).composer,
  },
  docker: {
    language: "docker",
    aliases: ["docker-compose"],
    ecosystem: undefined,
    load: async () => (await import("./docker/manager.js")).docker,
  },
  maven: {
    language: "java",
    aliases: ["java:maven"],
    ecosystem: "Maven",
    load: async () => (await import("./maven/manager.js")).maven,
  },
  npm_and_yarn: {
    language: "javascript",
    aliases: ["javascript", "npm", "bun"],
    ecosystem: "npm",
    load: async () => (await import("./npm/manager.js")).npmAndYarn,
  },
  elm: {
    language: "elm",
    aliases: [],
    ecosystem: undefined,
    load: async () => (await import("./elm/manager.js")).elm,
  },
  submodules: {
    language: "submodules",
    aliases: ["gitsubmodule"],
    ecosystem: undefined,
    load: async () => (await import("./submodules/manager.js")).submodules,
  },
  hex: {
    language: "elixir",
    aliases: ["elixir:hex", "mix"],
    ecosystem: "Hex",
    load: async () => (await import("./hex/manager.js")).hex,
  },
  cargo: {
    language: "rust",
    aliases: ["rust:cargo"],
    ecosystem: "crates.io",
    load: async () => (await import("./cargo/manager.js")).cargo,
  },
  gradle: {
    language: "java",
    aliases: ["java:gradle"],
    ecosystem: "Maven",
    load: async () => (await import("./gradle/manager.js")).gradle,
  },
  nuget: {
    language: "dotnet",
    aliases: ["dotnet:nuget"],
    ecosystem: "NuGet",
    load: async () => (await import("./nuget/manager.js")).nuget,
  },
  dep: {
    language: "go",
    aliases: ["go:dep"],
    ecosystem: "Go",
    load: async () => (await import("./dep/manager.js")).dep,
  },
  go_modules: {
    language: "go",
    aliases: ["go:modules", "gomod"],
    ecosystem: "Go",
    load: async () => (await import("./go/manager.js")).goModules,
  },
  pip: {
    language: "python",
    aliases: ["python", "uv"],
    ecosystem: "PyPI",
    load: async () => (await import("./pip/manager.js")).pip,
  },
  terraform: {
    language: "terraform",
    aliases: ["opentofu"],
    ecosystem: undefined,
    load: async () => (await import("./terraform/manager.js")).terraform,
  },
  host_actions: {
    language: "github_actions",
    aliases: ["github_actions", "github-actions"],
    ecosystem: "GitHub Actions",
    load: async () => (await import("./actions/manager.js")).hostActions,
  },
  devcontainers: {
    language: "devcontainers",
    aliases: ["devcontainer"],
    ecosystem: undefined,
    load: async () => (await import("./devcontainers/manager.js")).devcontainers,
  },
  gitlab_ci: {
    language: "gitlab_ci",
    aliases: ["gitlab-ci", "gitlabci"],
    ecosystem: undefined,
    load: async () => (await import("./gitlab_ci/manager.js")).gitlabCi,
  },
  helm: {
    language: "helm",
    aliases: [],
    ecosystem: undefined,
    load: async () => (await import("./helm/manager.js")).helm,
  },
  kustomize: {
    language: "kustomize",
    aliases: [],
    ecosystem: undefined,
    load: async () => (await import("./kustomize/manager.js")).kustomize,
  },
  pre_commit: {
    language: "pre_commit",
    aliases: ["pre-commit"],
    ecosystem: undefined,
    load: async () => (await import("./pre_commit/manager.js")).preCommit,
  },
  runtimes: {
    language: "any",
    aliases: ["runtime", "runtime-versions"],
    ecosystem: undefined,
    load: async () => (await import("./runtimes/manager.js")).runtimes,
  },
  patterns: {
    language: "any",
    aliases: [],
    ecosystem: undefined,
    load: async () => (await import("./patterns/manager.js")).patterns,
  },
} as const satisfies Readonly<Record<string, ManagerRow>>;

export type PackageManager = keyof typeof managers;

export const packageManagers = Object.keys(managers) as readonly PackageManager[];

/** The manager called `name`, or with `name` among its aliases. */
export function packageManager(name: string): PackageManager | undefined {
  return packageManagers.find(
    (id) => id === name || (managers[id].aliases as readonly string[]).includes(name),
  );
}

export const managerOf = (id: PackageManager): Promise<Manager> => managers[id].load();
