// The environment of a run: its directory, and what another program of the person may have put into a home and a temporary
// directory.
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export function environment(run, tiers, record) {
  const home = join(run, "home");
  for (const [path, text] of Object.entries(settings)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const own = (name, directory) => process.env[name] ?? join(homedir(), directory);
  return {
    ...process.env,
    REEVE_TEST_RUN: run,
    REEVE_TEST_TIERS: tiers.join(","),
    REEVE_TEST_RECORD: record ? "1" : "0",
    REEVE_TEST_LONG: tiers.includes("long") ? "1" : "0",
    // Also of the commands that tests start: they would fill the directory of the person's own.
    NODE_COMPILE_CACHE: join(run, "compiled"),
    // As under a service manager: a shell then looks for settings where a terminal's would not.
    SHLVL: "0",
    // Programs of the person have their settings here; those of the tests must not read them.
    HOME: home,
    REEVE_TEST_HOME: homedir(),
    XDG_CONFIG_HOME: join(home, ".config"),
    // Some programs are installed in the person's home.
    RUSTUP_HOME: own("RUSTUP_HOME", ".rustup"),
    CARGO_HOME: own("CARGO_HOME", ".cargo"),
    PYENV_ROOT: own("PYENV_ROOT", ".pyenv"),
  };
}

/** Puts files of another user into a directory for temporary files: those of an `awf` that runs, and of a daemon. */
export function addForeignFiles(directory) {
  if (process.getuid?.() !== 0) return;
  for (const [path, text] of Object.entries(foreignFiles)) {
    const parent = join(directory, path, "..");
    mkdirSync(parent, { mode: 0o700 });
    writeFileSync(join(directory, path), text, { mode: 0o600 });
    for (const each of [parent, join(directory, path)]) chownSync(each, OTHER, OTHER);
  }
}

/** Those of another user that were removed. */
export const missingForeignFiles = (directory) =>
  process.getuid?.() === 0
    ? Object.keys(foreignFiles).filter((path) => !existsSync(join(directory, path)))
    : [];

/** Whether a name in a directory for temporary files is of another user. */
export const isForeign = (name) =>
  Object.keys(foreignFiles).some((path) => path.startsWith(`${name}/`));

/** The user and the group of these files. */
const OTHER = 65_534;

const foreignFiles = {
  "awf-1700000000000/pid": "1\n",
  "squid-logs-1700000000000/access.log": "not of this user\n",
  "reeve-0123456789abcdef/hook": "not of this user\n",
  "reeve-run-foreign/payload": "not of this user\n",
};

/** Settings that would change what programs do. */
const settings = {
  ".bashrc": "exit 3\n",
  ".bunfig.toml": "[\n",
  ".config/awf/config.json": "{",
  ".config/git/config":
    "[commit]\n\tgpgsign = true\n[init]\n\tdefaultBranch = unusual\n[user]\n\tname = Another\n\temail = another@example.test\n",
  ".config/nvim/init.lua": 'error("the settings of another program")\n',
  ".config/pip/pip.conf": "[global]\nindex-url = http://127.0.0.1:9/\nrequire-virtualenv = true\n",
  ".config/reeve/main.reeve": "this is no configuration {\n",
  ".config/reeve/theme.json": "{",
  ".config/reeve/themes/dark.json": "{",
  ".docker/config.json": "{",
  ".gitconfig": "[core]\n\thooksPath = /nowhere\n",
  ".gradle/init.gradle": 'throw new GradleException("the settings of another program")\n',
  ".m2/settings.xml": "<settings",
  ".netrc": "machine 127.0.0.1 login another password another\n",
  ".npmrc": "registry=http://127.0.0.1:9/\nignore-scripts=true\noffline=true\n",
  ".profile": "exit 3\n",
  ".yarnrc.yml": "{",
};
