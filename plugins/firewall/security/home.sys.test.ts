/** What a command leaves in the home directory: its work, and nothing that runs or is trusted later. */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf as awfScript, outputOf } from "../testing/security/attempts.js";
import {
  forms,
  homePaths,
  noteProbes,
  probesThatRan,
  secrets,
} from "../testing/security/probe-counts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const quiet = ["--log-level", "error"];
/** Whether a path may exist as a directory: awf keeps its own compiled code and its records in two. */
const isParent = (path: string) =>
  [".cache/reeve", ".local/state/reeve"].includes(path) ||
  homePaths.some((other) => other.startsWith(`${path}/`));

test.after("probes that ran", (t) => {
  for (const line of probesThatRan()) t.log(line);
});

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  for (const [form, make] of Object.entries(forms)) {
    test(`a run creates no ${form} in any path that runs or is trusted later (as ${as})`, async (t) => {
      await using world = await createTestInternet({});
      const lines = homePaths.map((path) => `mkdir -p ~/$(dirname ${path}); ${make} ~/${path}`);
      const script = [...lines, "mkdir ~/evil; echo work > ~/work"].join("\n");
      const { code, stderr } = await world.awf(["--", `{ ${script}\n} 2>/dev/null`], { ordinary });
      t.is(code, 0);
      t.regex(stderr, /\[WARN\] Not kept, since programs run or trust it later: .*--allow-write/);
      t.is(readFileSync(join(world.home, "work"), "utf8"), "work\n");
      const made = homePaths.filter((path) =>
        lstatSync(join(world.home, path), { throwIfNoEntry: false }),
      );
      t.deepEqual(
        made.filter((path) => !isParent(path)),
        [],
      );
      noteProbes(as, homePaths.length);
    });
  }

  test(`links and renames around protected paths have no effect (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    mkdirSync(join(home, ".config", "fish"), { recursive: true });
    mkdirSync(join(home, "dotfiles"));
    writeFileSync(join(home, ".config", "fish", "config.fish"), "mine\n");
    writeFileSync(join(home, "dotfiles", "zshrc"), "mine\n");
    symlinkSync("dotfiles/zshrc", join(home, ".zshrc"));
    writeFileSync(join(home, ".bashrc"), "mine\n");
    const script = `
      ln -s ~/mine ~/.local; mkdir -p ~/mine/bin; echo evil > ~/mine/bin/node
      mv ~/.config ~/.old; mkdir -p ~/.config/autostart; echo evil > ~/.config/autostart/a
      echo evil >> ~/.config/fish/config.fish; mv ~/.config/fish ~/.config/other
      echo evil >> ~/.zshrc; echo evil >> ~/dotfiles/zshrc; mv ~/dotfiles ~/moved
      mv ~/.bashrc ~/b; echo evil > ~/new; mv ~/new ~/.bashrc; rm -f ~/.bashrc; echo evil >> ~/.bashrc`;
    await world.awf([...quiet, "--", `{ ${script}\n} 2>/dev/null`], { ordinary });
    t.false(existsSync(join(home, ".local", "bin")));
    t.false(existsSync(join(home, ".config", "autostart")));
    t.is(readlinkSync(join(home, ".zshrc")), "dotfiles/zshrc");
    for (const path of [".config/fish/config.fish", ".zshrc", "dotfiles/zshrc", ".bashrc"])
      t.is(readFileSync(join(home, path), "utf8"), "mine\n", path);
  });

  test(`everything else is kept: new, changed, replaced, linked, removed (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    mkdirSync(join(home, "src"));
    for (const name of [".config/tool", ".cache/tool"])
      mkdirSync(join(home, name), { recursive: true });
    writeFileSync(join(home, ".config/tool/settings"), "before\n");
    for (const name of ["changed", "replaced", "removed", "same", "run", "src/kept"])
      writeFileSync(join(home, name), `${name}\n`, { mode: 0o600 });
    const { mtimeMs } = statSync(join(home, "same"));
    const script = `
      echo more >> ~/changed; echo new > ~/n; mv ~/n ~/replaced; rm ~/removed; chmod 755 ~/run
      ln -s src ~/link; mkdir -p ~/new/deep; echo deep > ~/new/deep/file; echo more >> ~/src/kept
      echo x > ~/.config/tool/settings; mkdir ~/.cache/fresh; echo y > ~/.cache/fresh/download
      echo z > ~/.cache/tool/download
      mkfifo ~/new/pipe; cp /bin/true ~/new/privileged; chmod 4755 ~/new/privileged`;
    const { code } = await world.awf([...quiet, "--", `set -e; ${script}`], { ordinary });
    t.is(code, 0);
    const downloads = [".cache/fresh/download", ".cache/tool/download"];
    const texts = ["changed", "replaced", "src/kept", "new/deep/file", ".config/tool/settings"];
    t.deepEqual(
      [...texts, ...downloads].map((path) => readFileSync(join(home, path), "utf8")),
      ["changed\nmore\n", "new\n", "src/kept\nmore\n", "deep\n", "before\n", "y\n", "z\n"],
    );
    t.is(readlinkSync(join(home, "link")), "src");
    t.false(existsSync(join(home, "removed")));
    t.false(existsSync(join(home, "new", "pipe")));
    t.is(statSync(join(home, "new", "privileged")).mode & 0o7777, 0o755);
    t.is(statSync(join(home, "run")).mode & 0o777, 0o755);
    t.is(statSync(join(home, "changed")).mode & 0o777, 0o600);
    t.is(statSync(join(home, "same")).mtimeMs, mtimeMs);
  });

  test(`secrets that the host creates or replaces meanwhile stay hidden (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    mkdirSync(join(home, ".aws"));
    for (const name of [".npmrc", ".aws/credentials"]) writeFileSync(join(home, name), "SECRET\n");
    const run = world.start(
      process.execPath,
      [...[awfScript, ...quiet], "--", `echo up; read; cd; grep -rs SECRET . /host$HOME; echo end`],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    for (const path of secrets.toSorted((one, other) => other.length - one.length)) {
      const target = join(home, path);
      mkdirSync(join(target, ".."), { recursive: true });
      if (existsSync(target) && statSync(target).isDirectory()) continue;
      writeFileSync(`${target}~`, "SECRET\n");
      renameSync(`${target}~`, target);
    }
    run.child.stdin?.end("\n");
    t.is((await run.result).stdout, "up\nend\n");
    noteProbes(as, secrets.length);
  });

  test(`a file that the host changes meanwhile wins, the other is kept beside it (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const file = join(world.home, "notes");
    writeFileSync(file, "start\n");
    const run = world.start(
      process.execPath,
      [awfScript, "--", "echo inside >> ~/notes; echo up; read"],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    appendFileSync(file, "outside\n");
    run.child.stdin?.end("\n");
    const [, beside = ""] = /changed meanwhile: see (\S+)/.exec((await run.result).stderr) ?? [];
    t.is(readFileSync(file, "utf8"), "start\noutside\n");
    t.is(readFileSync(join(world.home, beside), "utf8"), "start\ninside\n");
  });
}
