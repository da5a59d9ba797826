/** Directories and files of a home directory that variables put elsewhere. What holds for the usual path holds for the other one. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { credentials } from "../credentials.js";
import { entriesOf } from "../entries.js";
import { isWithin } from "../paths.js";
import { usualKeeping } from "./kept-paths.js";

/** Variable → the usual path in the home directory. */
const variables: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
  XDG_BIN_HOME: ".local/bin",
  ZDOTDIR: ".zsh",
  GNUPGHOME: ".gnupg",
  PASSWORD_STORE_DIR: ".password-store",
  DOCKER_CONFIG: ".docker",
  KUBECONFIG: ".kube/config",
  AWS_CONFIG_FILE: ".aws/config",
  AWS_SHARED_CREDENTIALS_FILE: ".aws/credentials",
  AZURE_CONFIG_DIR: ".azure",
  CLOUDSDK_CONFIG: ".config/gcloud",
  GH_CONFIG_DIR: ".config/gh",
  GLAB_CONFIG_DIR: ".config/glab-cli",
  NETRC: ".netrc",
  CURL_HOME: ".curl",
  NPM_CONFIG_USERCONFIG: ".npmrc",
  npm_config_userconfig: ".npmrc",
  NPM_CONFIG_CACHE: ".npm",
  npm_config_cache: ".npm",
  YARN_RC_FILENAME: ".yarnrc.yml",
  PIP_CONFIG_FILE: ".config/pip/pip.conf",
  PYTHONUSERBASE: ".local",
  PYTHONSTARTUP: ".pythonrc",
  IPYTHONDIR: ".ipython",
  JUPYTER_CONFIG_DIR: ".jupyter",
  CARGO_HOME: ".cargo",
  RUSTUP_HOME: ".rustup",
  BUNDLE_USER_HOME: ".bundle",
  GEM_HOME: ".gem",
  GRADLE_USER_HOME: ".gradle",
  MAVEN_USER_HOME: ".m2",
  NUGET_PACKAGES: ".nuget/packages",
  DENO_DIR: ".cache/deno",
  BUN_INSTALL: ".bun",
  NVM_DIR: ".nvm",
  PYENV_ROOT: ".pyenv",
  RBENV_ROOT: ".rbenv",
  VOLTA_HOME: ".volta",
  ASDF_DATA_DIR: ".asdf",
  MISE_DATA_DIR: ".local/share/mise",
  GIT_CONFIG_GLOBAL: ".gitconfig",
  GIT_TEMPLATE_DIR: ".git-templates",
  HGRCPATH: ".hgrc",
  BASH_ENV: ".bashrc",
  ENV: ".shrc",
  INPUTRC: ".inputrc",
  HISTFILE: ".bash_history",
  VIMINIT: ".vimrc",
  EMACS_USER_DIRECTORY: ".emacs.d",
  CLAUDE_CONFIG_DIR: ".claude",
  CODEX_HOME: ".codex",
  COPILOT_HOME: ".copilot",
  GEMINI_CONFIG_DIR: ".gemini",
  TF_CLI_CONFIG_FILE: ".terraformrc",
  VAULT_CONFIG_PATH: ".vault",
  PGPASSFILE: ".pgpass",
  PSQLRC: ".psqlrc",
  MYSQL_HOME: ".mysql",
  ANSIBLE_CONFIG: ".ansible.cfg",
  TMUX_CONF: ".tmux.conf",
};

export interface Relocation {
  /** Absolute, without links. */
  readonly at: string;
  /** The usual path in the home directory. */
  readonly usual: string;
}

/** Those that lead away from the usual path. A list has one path for each of its entries. */
export function relocationsIn(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): readonly Relocation[] {
  return Object.entries(variables).flatMap(([name, usual]) =>
    (environment[name] ?? "")
      .split(":")
      .filter((path) => path.startsWith("/"))
      .map((path) => ({ at: real(path), usual }))
      // A directory with a home in it has more than what it was named for.
      .filter(({ at }) => at !== join(home, usual) && !isWithin(home, at)),
  );
}

/** Secrets that lie there, absolute. */
export function relocatedSecrets(relocations: readonly Relocation[]): string[] {
  const found = relocations.flatMap(({ at, usual }) => [
    ...credentials
      .filter((path) => isWithin(path, usual))
      .map((path) => join(at, relative(usual, path))),
    ...(credentials.some((path) => isWithin(usual, path)) ? [at] : []),
  ]);
  return [...new Set(found)];
}

/** What exists there of the things that are not kept in a home directory, absolute. */
export function relocatedSettings(relocations: readonly Relocation[]): string[] {
  return relocations.flatMap(({ at, usual }) => {
    const keeping = usualKeeping(usual);
    if (keeping === "hold") return [at];
    return entriesOf(at)
      .filter(({ name }) => usualKeeping(join(usual, name)) === "hold")
      .map(({ name }) => join(at, name));
  });
}

/** The path without links, of what exists of it. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === "/" ? path : join(real(dirname(path)), basename(path));
  }
}
