/** The sixteen package managers of the API by the names it gives them, and what is known of each without its code. */

export interface ManagerName {
  /** The attribute `language` of a configuration. */
  readonly language: string;
  /** Other spellings that are understood: of the original service, and of configuration files v1 and v2. */
  readonly aliases: readonly string[];
  /** What advisories (OSV) call the ecosystem; undefined where there are none. */
  readonly ecosystem: string | undefined;
}

export const managerNames = {
  bundler: { language: "ruby", aliases: ["ruby:bundler"], ecosystem: "RubyGems" },
  composer: { language: "php", aliases: ["php:composer"], ecosystem: "Packagist" },
  docker: { language: "docker", aliases: ["docker-compose"], ecosystem: undefined },
  maven: { language: "java", aliases: ["java:maven"], ecosystem: "Maven" },
  npm_and_yarn: { language: "javascript", aliases: ["javascript", "npm"], ecosystem: "npm" },
  elm: { language: "elm", aliases: [], ecosystem: undefined },
  submodules: { language: "submodules", aliases: ["gitsubmodule"], ecosystem: undefined },
  hex: { language: "elixir", aliases: ["elixir:hex", "mix"], ecosystem: "Hex" },
  cargo: { language: "rust", aliases: ["rust:cargo"], ecosystem: "crates.io" },
  gradle: { language: "java", aliases: ["java:gradle"], ecosystem: "Maven" },
  nuget: { language: "dotnet", aliases: ["dotnet:nuget"], ecosystem: "NuGet" },
  dep: { language: "go", aliases: ["go:dep"], ecosystem: "Go" },
  go_modules: { language: "go", aliases: ["go:modules", "gomod"], ecosystem: "Go" },
  pip: { language: "python", aliases: ["python"], ecosystem: "PyPI" },
  terraform: { language: "terraform", aliases: [], ecosystem: undefined },
  host_actions: {
    language: "github_actions",
    aliases: ["github_actions", "github-actions"],
    ecosystem: "GitHub Actions",
  },
} as const satisfies Readonly<Record<string, ManagerName>>;

export type PackageManager = keyof typeof managerNames;

export const packageManagers = Object.keys(managerNames) as readonly PackageManager[];

/** The manager meant by `name` or an alias of it; undefined where nothing is called that. */
export function packageManager(name: string): PackageManager | undefined {
  return packageManagers.find(
    (id) => id === name || (managerNames[id].aliases as readonly string[]).includes(name),
  );
}
