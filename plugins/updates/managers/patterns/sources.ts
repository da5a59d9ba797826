/** Where the versions of a pattern's text come from: the registry of a package manager, or the tags of a repository. */
import { bundler } from "../bundler/manager.js";
import { cargo } from "../cargo/manager.js";
import { composer } from "../composer/manager.js";
import type { Dependency, DependencyOrigin, Manager, ManagerSettings } from "../contract.js";
import { docker } from "../docker/manager.js";
import { goModules } from "../go/manager.js";
import { maven } from "../maven/manager.js";
import { npmAndYarn } from "../npm/manager.js";
import { nuget } from "../nuget/manager.js";
import { pip } from "../pip/manager.js";
import { readSource, type SourceManager } from "./source-names.js";

export interface SourcedDependency {
  readonly name: string;
  readonly origin: DependencyOrigin;
  readonly extra: Readonly<Record<string, string>>;
}

/** Only names that cannot end a string or start a new line in the manifest that is made of them. */
const NAME = /^[\w@][\w@.:/+-]*$/;

export function sourcedDependency(
  source: string,
  name: string,
  version: string,
  settings: ManagerSettings,
): SourcedDependency {
  const read = readSource(source, name);
  if (!read) return without(name, `${source} is no source of versions.`);
  if ("url" in read)
    return {
      name: name === "" ? read.url : name,
      origin: { kind: "git", url: read.url },
      extra: { source },
    };
  if (!NAME.test(name)) return without(name, `${name} is no name of a package.`);
  const { manager, manifest } = delegates[read.manager];
  const [file, text] = manifest(name, version);
  const sources = {
    directory: "/",
    tree: [{ path: file, kind: "file", oid: "0".repeat(40) }] as const,
    files: new Map([[file, text]]),
  };
  const [found] = manager.parse(sources, settings).dependencies;
  if (!found) return without(name, `${name} ${version} is no package of ${read.manager}.`);
  return {
    name: found.name,
    origin: found.origin,
    extra: { ...found.extra, source, manager: read.manager, current: found.current ?? version },
  };
}

const without = (name: string, why: string): SourcedDependency => ({
  ...{ name, extra: {} },
  origin: { kind: "none", why },
});

/** The manager whose registry has the dependency; undefined for tags. */
export const delegateOf = ({ extra }: Dependency): Manager | undefined =>
  (delegates as Readonly<Record<string, Delegate>>)[extra?.manager ?? ""]?.manager;

interface Delegate {
  readonly manager: Manager;
  /** A manifest with the package, which the manager reads as it reads those of a project. */
  readonly manifest: (name: string, version: string) => readonly [file: string, text: string];
}

const withV = (version: string): string => `v${version.replace(/^v/, "")}`;
const withoutV = (version: string): string => version.replace(/^v/, "");

const delegates: Readonly<Record<SourceManager, Delegate>> = {
  bundler: {
    manager: bundler,
    manifest: (name, version) => [
      "Gemfile",
      `source "https://rubygems.org"\ngem "${name}", "${withoutV(version)}"\n`,
    ],
  },
  cargo: {
    manager: cargo,
    manifest: (name, version) => [
      "Cargo.toml",
      `[package]\nname = "a"\n[dependencies]\n"${name}" = "=${withoutV(version)}"\n`,
    ],
  },
  composer: {
    manager: composer,
    manifest: (name, version) => [
      "composer.json",
      JSON.stringify({ require: { [name]: withoutV(version) } }),
    ],
  },
  docker: {
    manager: docker,
    manifest: (name, version) => ["Dockerfile", `FROM ${name}:${version}\n`],
  },
  go_modules: {
    manager: goModules,
    manifest: (name, version) => ["go.mod", `module a\n\nrequire ${name} ${withV(version)}\n`],
  },
  maven: {
    manager: maven,
    manifest: (name, version) => {
      const [group = "", artifact = ""] = name.split(":");
      return [
        "pom.xml",
        `<project><dependencies><dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${withoutV(version)}</version></dependency></dependencies></project>`,
      ];
    },
  },
  npm_and_yarn: {
    manager: npmAndYarn,
    manifest: (name, version) => [
      "package.json",
      JSON.stringify({ dependencies: { [name]: withoutV(version) } }),
    ],
  },
  nuget: {
    manager: nuget,
    manifest: (name, version) => [
      "a.csproj",
      `<Project><ItemGroup><PackageReference Include="${name}" Version="${withoutV(version)}" /></ItemGroup></Project>`,
    ],
  },
  pip: {
    manager: pip,
    manifest: (name, version) => ["requirements.txt", `${name}==${withoutV(version)}\n`],
  },
};
