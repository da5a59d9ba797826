/** Settings and secrets that links and variables put elsewhere are as safe as at their usual paths. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import test from "ava";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const quiet = ["--log-level", "error"];

/** Variable, what it names in a directory, a secret and a file that programs run later there. */
const relocations: ReadonlyArray<
  readonly [variable: string, path: string, secret: string, start: string]
> = [
  ["XDG_CONFIG_HOME", "conf", "gh/hosts.yml", "autostart/a.desktop"],
  ["XDG_CONFIG_HOME", "conf", "op/session", "fish/config.fish"],
  ["XDG_DATA_HOME", "data", "keyrings/login.keyring", "systemd/user/a.service"],
  ["ZDOTDIR", "zsh", "", ".zshrc"],
  ["GNUPGHOME", "gpg", "private-keys-v1.d/a.key", "gpg.conf"],
  ["CARGO_HOME", "cargo", "credentials.toml", "config.toml"],
  ["CLAUDE_CONFIG_DIR", "claude", ".credentials.json", "settings.json"],
  ["CODEX_HOME", "codex", "auth.json", "config.toml"],
  ["DOCKER_CONFIG", "docker", "config.json", "cli-plugins/a"],
  ["KUBECONFIG", "kube/conf", "", ""],
  ["AWS_SHARED_CREDENTIALS_FILE", "aws/keys", "", ""],
  ["NETRC", "netrc", "", ""],
  ["PGPASSFILE", "pgpass", "", ""],
  ["NPM_CONFIG_USERCONFIG", "npmrc", "", ""],
  ["PASSWORD_STORE_DIR", "store", "mail.gpg", ".extensions/a.bash"],
];

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  for (const where of ["home", "workspace"] as const)
    test(`what variables name in the ${where} is hidden and not changed (as ${as})`, async (t) => {
      await using world = await createTestInternet({});
      const base = join(world[where], "elsewhere");
      const environment: Record<string, string> = {};
      const secrets: string[] = [];
      const starts: string[] = [];
      for (const [variable, path, secret, start] of relocations) {
        environment[variable] = join(base, path);
        if (start === "" || secret !== "") secrets.push(join(base, path, secret));
        // A file that is a secret itself is written, too.
        starts.push(join(base, path, start));
      }
      for (const path of secrets) put(path, "SECRET\n");
      for (const path of starts) if (!existsSync(path)) put(path, "mine\n");
      const before = starts.map((path) => readFileSync(path, "utf8"));
      const attacks = starts.map(
        (path) =>
          `echo evil >> ${path}; echo evil > ${path}~; mv -f ${path}~ ${path}; rm -f ${path}`,
      );
      const { stdout } = await world.awf(
        [
          ...[...quiet, "--env-all", "--container-workdir", world.workspace, "--"],
          `grep -rs SECRET ${base} /host${base}; { ${attacks.join("\n")}\n} 2>/dev/null; true`,
        ],
        { ordinary, environment },
      );
      t.is(stdout, "");
      t.deepEqual(
        starts.map((path) => readFileSync(path, "utf8")),
        before,
      );
    });

  test(`a new start file in a directory that a variable names is not kept (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    const environment = { ZDOTDIR: join(home, "zsh"), CARGO_HOME: join(home, "cargo") };
    mkdirSync(join(home, "zsh"));
    const script =
      "echo evil > ~/zsh/.zshrc; mkdir -p ~/cargo/bin ~/cargo/registry; echo evil > ~/cargo/bin/cargo; echo kept > ~/cargo/registry/crate";
    await world.awf([...quiet, "--", script], { ordinary, environment });
    t.false(existsSync(join(home, "zsh/.zshrc")));
    t.false(existsSync(join(home, "cargo/bin")));
    t.is(readFileSync(join(home, "cargo/registry/crate"), "utf8"), "kept\n");
  });

  test(`compiled code of awf stays out of reach wherever it is (as ${as})`, async (t) => {
    for (const where of ["home", "workspace"] as const) {
      await using world = await createTestInternet({});
      const cache = join(world[where], "cache");
      const environment = { XDG_CACHE_HOME: cache };
      const options = { ordinary, environment };
      await world.awf([...quiet, "--", "true"], options);
      const script = `find ${cache} -type f -exec sh -c 'echo evil > "$1"' sh {} \\; 2>/dev/null; mkdir -p ${cache}/reeve/code; mv ${cache}/reeve ${cache}/r 2>/dev/null; true`;
      await world.awf([...quiet, "--container-workdir", world.workspace, "--", script], options);
      const found = await world.start("/bin/grep", ["-rls", "^evil$", join(cache, "reeve")]).result;
      t.is(found.stdout, "", where);
    }
  });

  test(`links of a dotfiles directory lead to nothing that a command may leave (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    for (const path of ["dotfiles/config/gh/hosts.yml", "dotfiles/local/share/keyrings/k"])
      put(join(home, path), "SECRET\n");
    for (const path of ["dotfiles/config/fish/config.fish", "dotfiles/chain/zprofile"])
      put(join(home, path), "mine\n");
    symlinkSync("dotfiles/config", join(home, ".config"));
    symlinkSync("dotfiles/local", join(home, ".local"));
    symlinkSync("dotfiles/zshrc", join(home, ".zshrc"));
    symlinkSync("dotfiles/one", join(home, ".zprofile"));
    symlinkSync("chain/zprofile", join(home, "dotfiles/one"));
    symlinkSync("links", join(home, ".bashrc"));
    symlinkSync("dotfiles/deep", join(home, "links"));
    const script = `
      grep -rs SECRET ~/dotfiles ~/.config ~/.local /host$HOME/dotfiles
      { echo evil > ~/.zshrc; echo evil >> ~/.zprofile; echo evil > ~/dotfiles/chain/zprofile
      echo evil > ~/.config/fish/config.fish; mkdir -p ~/.config/autostart; echo evil > ~/.config/autostart/a
      echo evil > ~/.bashrc; rm ~/dotfiles/one; echo evil > ~/dotfiles/one; mv ~/dotfiles ~/d
      mkdir -p ~/.local/bin; echo evil > ~/.local/bin/ls; } 2>/dev/null; echo work > ~/work`;
    const { stdout } = await world.awf([...quiet, "--", script], { ordinary });
    t.is(stdout, "");
    for (const path of [".config/fish/config.fish", ".zprofile"])
      t.is(readFileSync(join(home, path), "utf8"), "mine\n", path);
    for (const path of [".zshrc", ".bashrc", ".config/autostart", ".local/bin"])
      t.false(existsSync(join(home, path)), path);
    t.is(readlinkSync(join(home, "dotfiles/one")), "chain/zprofile");
    t.is(readFileSync(join(home, "work"), "utf8"), "work\n");
  });

  test(`a home that is a link is the directory it leads to (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home, scratch } = world;
    const link = join(scratch, "link");
    symlinkSync(home, link);
    put(join(home, ".ssh/id_rsa"), "SECRET\n");
    put(join(home, ".bashrc"), "mine\n");
    const { stdout } = await world.awf(
      [
        ...quiet,
        "--",
        `cat ~/.ssh/id_rsa ${home}/.ssh/id_rsa 2>/dev/null; echo evil > ~/.bashrc; echo work > ~/work`,
      ],
      { ordinary, environment: { HOME: link } },
    );
    t.is(stdout, "");
    t.is(readFileSync(join(home, ".bashrc"), "utf8"), "mine\n");
    t.is(readFileSync(join(home, "work"), "utf8"), "work\n");
  });
}

test("a home below the account's own is writable, the other is not", async (t) => {
  const own = userInfo().homedir;
  const home = mkdtempSync(join(own, "reeve-home-"));
  t.teardown(() => rmSync(home, { recursive: true }));
  await using world = await createTestInternet({});
  const { code, stderr } = await world.awf(
    [...quiet, "--", `echo work > ~/work; echo evil 2>/dev/null > ${own}/evil; true`],
    { environment: { HOME: home } },
  );
  t.is(code, 0, stderr);
  t.is(readFileSync(join(home, "work"), "utf8"), "work\n");
  t.false(existsSync(join(own, "evil")));
});
