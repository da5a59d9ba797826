/** The names of sources: those of package managers, those that Renovate uses, and `tags:` with the URL of a repository. */

export type SourceManager =
  | "bundler"
  | "cargo"
  | "composer"
  | "docker"
  | "go_modules"
  | "maven"
  | "npm_and_yarn"
  | "nuget"
  | "pip";

const managersByName: Readonly<Record<string, SourceManager>> = {
  ...{ bundler: "bundler", rubygems: "bundler", cargo: "cargo", crate: "cargo" },
  ...{ composer: "composer", packagist: "composer", docker: "docker" },
  ...{ go: "go_modules", go_modules: "go_modules", maven: "maven", nuget: "nuget" },
  ...{ npm: "npm_and_yarn", npm_and_yarn: "npm_and_yarn", pip: "pip", pypi: "pip" },
};

const hostsByName: Readonly<Record<string, string>> = {
  "github-tags": "https://github.com",
  "github-releases": "https://github.com",
  "gitlab-tags": "https://gitlab.com",
  "gitlab-releases": "https://gitlab.com",
};

/** Undefined for an unknown source. */
export function readSource(
  source: string,
  name: string,
): { readonly manager: SourceManager } | { readonly url: string } | undefined {
  const manager = Object.hasOwn(managersByName, source) ? managersByName[source] : undefined;
  if (manager) return { manager };
  const host = Object.hasOwn(hostsByName, source) ? hostsByName[source] : undefined;
  if (host !== undefined)
    return /^[\w.-]+(\/[\w.-]+)+$/.test(name) ? { url: `${host}/${name}` } : undefined;
  const address = source === "git-tags" ? name : /^tags:(.*)$/.exec(source)?.[1];
  return address !== undefined && /^(https?|file):\/\/[^\s]+$/.test(address)
    ? { url: address.replace(/(\.git)?\/*$/, "") }
    : undefined;
}

/** Why `source` is no source, for a package that is named elsewhere. */
export const sourceFault = (source: string): string | undefined =>
  source === "git-tags" || readSource(source, "owner/name")
    ? undefined
    : `There is no source \`${source}\`: use ${Object.keys(managersByName).join(", ")}, ${Object.keys(hostsByName).join(", ")}, git-tags or \`tags:https://…\``;
