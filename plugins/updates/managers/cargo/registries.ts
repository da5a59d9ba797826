/** Which registry a crate comes from: what the repository says, and what the instance says. */
import { readToml, type TomlNode, tomlMembers, tomlText } from "../../text/toml.js";
import type { DependencyOrigin, ManagerSettings, ProjectSources } from "../contract.js";
import type { CargoDependency } from "./manifest.js";
import { configsOf } from "./workspace.js";

export const PUBLIC_INDEX = "https://index.crates.io";

/** How lock files call crates.io, whatever the protocol. */
const PUBLIC_SOURCES = new Set([
  "registry+https://github.com/rust-lang/crates.io-index",
  "sparse+https://index.crates.io/",
]);

export interface Registries {
  originOf(dependency: Pick<CargoDependency, "name" | "registry" | "index">): DependencyOrigin;
  /** Where crates of a `source` in a lock file are asked for; undefined where nobody is. */
  ofSource(source: string): string | undefined;
  /** The directory that stands in for crates.io. */
  readonly vendored: string | undefined;
  /** Names of registries with their index as Cargo is told: what the repository says counts. */
  readonly named: ReadonlyMap<string, string>;
}

/** The instance's registry by the registry's name, then by none; then what `.cargo/config.toml` says. */
export function cargoRegistries(
  sources: ProjectSources,
  { registries }: ManagerSettings,
): Registries {
  const own = registries.filter(({ manager }) => manager === "cargo");
  const configs = configsOf(sources).flatMap(([file, text]) => readable(file, text) ?? []);
  const named = new Map<string, string>();
  for (const config of configs.toReversed())
    for (const [name, node] of tomlMembers(config, "registries")) {
      const index = tomlText(node, "index");
      if (index !== undefined) named.set(name, index);
    }
  const instead = insteadOfPublic(configs, named);
  const usual = (
    own.find(({ scope }) => scope === undefined)?.url ??
    address(instead.registry ?? "") ??
    PUBLIC_INDEX
  ).replace(/\/+$/, "");
  const said = new Map(named);
  for (const { scope, url } of own)
    if (scope !== undefined) said.set(scope, `sparse+${url.replace(/\/+$/, "")}/`);
  return {
    vendored: instead.directory,
    named: new Map([...said, ...named]),
    originOf: ({ name, registry, index }) => {
      const location = registry === undefined ? index : said.get(registry);
      if (registry === undefined && index === undefined) return { kind: "registry", url: usual };
      const url = location === undefined ? undefined : address(location);
      if (url !== undefined) return { kind: "registry", url };
      const where = registry === undefined ? `the index ${index}` : `the registry ${registry}`;
      return {
        kind: "none",
        why: `${name} comes from ${where}, which has no sparse index that is known here.`,
      };
    },
    ofSource: (source) => {
      if (PUBLIC_SOURCES.has(source)) return usual;
      const name = [...named].find(
        ([, index]) => index === source || `registry+${index}` === source,
      )?.[0];
      return address((name === undefined ? undefined : said.get(name)) ?? source);
    },
  };
}

function readable(file: string, text: string): TomlNode | undefined {
  try {
    return readToml(file, text);
  } catch {
    return undefined;
  }
}

const address = (index: string): string | undefined =>
  /^sparse\+https?:\/\//.test(index) && URL.canParse(index.slice("sparse+".length))
    ? index.slice("sparse+".length).replace(/\/+$/, "")
    : undefined;

/** `[source.crates-io] replace-with`, as far as it goes. */
function insteadOfPublic(
  configs: readonly TomlNode[],
  named: ReadonlyMap<string, string>,
): { readonly registry?: string; readonly directory?: string } {
  const said = (name: string, key: string): string | undefined =>
    configs.map((config) => tomlText(config, "source", name, key)).find((text) => text);
  const seen = new Set<string>();
  let name = "crates-io";
  for (let next = said(name, "replace-with"); next; next = said(name, "replace-with")) {
    if (seen.has(next)) return {};
    seen.add(next);
    name = next;
  }
  if (seen.size === 0) return {};
  const directory = said(name, "directory") ?? said(name, "local-registry");
  const registry = said(name, "registry") ?? named.get(name);
  return {
    ...(directory === undefined ? {} : { directory }),
    ...(registry === undefined ? {} : { registry }),
  };
}
