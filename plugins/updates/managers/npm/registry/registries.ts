/** Chooses the registry of a package from the settings of the repository and the instance. */
import type {
  DependencyOrigin,
  FileTexts,
  ManagerSettings,
  ProjectSources,
} from "../../contract.js";
import { within } from "../../paths.js";
import { berrySettings } from "../tool/yarn-settings.js";

export type RegistryOf = (name: string) => DependencyOrigin;

const PUBLIC = "https://registry.npmjs.org";

/**
 * The most specific wins: a scope of the instance, a scope of the repository, the repository's registry, the instance's, the
 * public one. Nothing of the environment is put into what a repository says: it would be sent wherever the repository likes.
 */
export function npmRegistries(
  { directory, files }: ProjectSources,
  settings: ManagerSettings,
): RegistryOf {
  const own = settings.registries.filter(({ manager }) => manager === "npm_and_yarn");
  const said = new Map([
    ...yarnClassic(files.get(within(directory, ".yarnrc"))),
    ...yarnBerry(directory, files),
    ...npmrc(files.get(within(directory, ".npmrc"))),
  ]);
  const ownDefault = own.find(({ scope }) => scope === undefined)?.url;
  return (name) => {
    const scope = name.startsWith("@") ? name.slice(0, name.indexOf("/")) : undefined;
    const ownScoped = own.find((registry) => scope !== undefined && registry.scope === scope)?.url;
    const scoped = scope === undefined ? undefined : said.get(scope);
    const url = ownScoped ?? scoped ?? said.get("") ?? ownDefault ?? PUBLIC;
    return { kind: "registry", url: url.replace(/\/+$/, "") };
  };
}

/** Registries of all scopes in the files; `""` is the default registry. */
export function registriesInUse(
  sources: ProjectSources,
  settings: ManagerSettings,
): Readonly<Record<string, string>> {
  const registryOf = npmRegistries(sources, settings);
  const scopes = new Set(
    [...sources.files.values()].flatMap((text) =>
      [...text.matchAll(/["'\s/](@[\w.-]+)\/[\w.-]/g)].map(([, scope = ""]) => scope),
    ),
  );
  const url = (name: string): string => {
    const origin = registryOf(name);
    return origin.kind === "registry" ? origin.url : "";
  };
  return Object.fromEntries([
    ["", url("any")],
    ...[...scopes].map((scope) => [scope, url(`${scope}/any`)]),
  ]);
}

type RegistryEntries = [scope: string, url: string][];

const usable = (url: unknown): url is string =>
  typeof url === "string" && !url.includes("${") && /^https?:\/\//.test(url) && URL.canParse(url);

function npmrc(text: string | undefined): RegistryEntries {
  return [
    ...(text ?? "").matchAll(
      /^[ \t]*(?:(@[^:\s]+):)?registry[ \t]*=[ \t]*"?([^"\s]+)"?[ \t\r]*$/gm,
    ),
  ]
    .map(([, scope = "", url = ""]): [string, string] => [scope, url])
    .filter(([, url]) => usable(url));
}

function yarnClassic(text: string | undefined): RegistryEntries {
  return [...(text ?? "").matchAll(/^[ \t]*"?(?:(@[^:\s"]+):)?registry"?[ \t]+"?([^"\s]+)"?/gm)]
    .map(([, scope = "", url = ""]): [string, string] => [scope, url])
    .filter(([, url]) => usable(url));
}

function yarnBerry(directory: string, files: FileTexts): RegistryEntries {
  const { npmRegistryServer, npmScopes } = berrySettings({ directory, files });
  const scopes = Object.entries(
    (npmScopes ?? {}) as Record<string, { npmRegistryServer?: unknown }>,
  );
  const said: [string, unknown][] = [
    ["", npmRegistryServer],
    ...scopes.map(([scope, value]): [string, unknown] => [`@${scope}`, value?.npmRegistryServer]),
  ];
  return said.filter((one): one is [string, string] => usable(one[1]));
}
