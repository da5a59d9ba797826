/** The config files of a repository, by precedence. */
export const CONFIG_FILES = [
  ...[".dependabot/config.yml", ".dependabot/config.yaml"],
  ...[".github/dependabot.yml", ".github/dependabot.yaml"],
] as const;
