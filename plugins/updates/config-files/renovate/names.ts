/** Names of package managers, data sources and packages of Renovate. */
import { type PackageManager, packageManager } from "../../managers/index.js";

const managers: Readonly<Record<string, PackageManager>> = {
  ...{ asdf: "runtimes", mise: "runtimes", nvm: "runtimes", nodenv: "runtimes", pyenv: "runtimes" },
  ...{ "ruby-version": "runtimes", "rust-toolchain": "runtimes", "runtime-version": "runtimes" },
  ...{ "custom.regex": "patterns", regex: "patterns", custom: "patterns" },
  ...{ dockerfile: "docker", kubernetes: "docker", "helm-values": "docker" },
  ...{ "github-actions": "host_actions", helmv3: "helm", helm3: "helm", requirements: "helm" },
  ...{ "git-submodules": "submodules", mix: "hex", poetry: "pip", pep621: "pip", pep723: "pip" },
  ...{ pip_requirements: "pip", pip_setup: "pip", "setup-cfg": "pip", pipenv: "pip" },
  ...{ "pip-compile": "pip", "gradle-wrapper": "gradle", "maven-wrapper": "maven" },
  ...{ devcontainer: "devcontainers", terragrunt: "terraform", "terraform-version": "runtimes" },
  ...{ gomod: "go_modules", "gitlabci-include": "gitlab_ci", gitlabci: "gitlab_ci" },
};

export const managerNamed = (name: string): PackageManager | undefined =>
  (Object.hasOwn(managers, name) ? managers[name] : undefined) ?? packageManager(name);

const datasources: Readonly<Record<string, readonly PackageManager[]>> = {
  ...{ npm: ["npm_and_yarn"], pypi: ["pip"], rubygems: ["bundler"], crate: ["cargo"] },
  ...{ packagist: ["composer"], go: ["go_modules"], maven: ["maven", "gradle"], hex: ["hex"] },
  ...{ nuget: ["nuget"], docker: ["docker", "host_actions", "gitlab_ci"], helm: ["helm"] },
  ...{ "terraform-module": ["terraform"], "terraform-provider": ["terraform"] },
  ...{ "github-tags": ["host_actions", "pre_commit"], "github-runners": ["host_actions"] },
  ...{ "node-version": ["runtimes"], "python-version": ["runtimes"], "ruby-version": ["runtimes"] },
  ...{ "golang-version": ["runtimes"], "java-version": ["runtimes"], "dotnet-version": ["nuget"] },
};

export const managersOfSource = (name: string): readonly PackageManager[] | undefined =>
  Object.hasOwn(datasources, name) ? datasources[name] : undefined;

/** The host types of `hostRules`: data sources, and managers. */
export const managerOfHost = (type: string): PackageManager | undefined =>
  managersOfSource(type)?.[0] ?? managerNamed(type);

/**
 * A name, glob or regular expression as a pattern whose `*` is any text. Undefined where none means the same.
 * `isExpression`: without slashes, as in the former `matchPackagePatterns`.
 */
export function patternOf(written: string, isExpression = false): string | undefined {
  const [, inside] = /^\/(.*)\/$/.exec(written) ?? (isExpression ? [written, written] : []);
  if (inside === undefined) {
    const glob = written.replace(/\*+/g, "*");
    return /[?[\]{}!()|]/.test(glob) ? undefined : glob;
  }
  const literal = inside.replace(/\\([./@-])/g, "$1").replace(/\.[*+]/g, "*");
  const [, start = "", text = "", end = ""] = /^(\^?)(.*?)(\$?)$/s.exec(literal) ?? [];
  if (/[\\?[\]{}()|+^$]/.test(text) || /\.(?=\*)/.test(text)) return undefined;
  return `${start === "" ? "*" : ""}${text}${end === "" ? "*" : ""}`.replace(/\*+/g, "*");
}
