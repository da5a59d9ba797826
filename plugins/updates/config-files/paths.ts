/** Files in a repository that configure its updates, in the order in which they win. */
export const CONFIG_FILES = [
  ...[".dependabot/config.yml", ".dependabot/config.yaml"],
  ...[".github/dependabot.yml", ".github/dependabot.yaml"],
] as const;
