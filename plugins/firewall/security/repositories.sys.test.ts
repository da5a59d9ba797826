/** What git would run of a command's: hooks and settings of every repository in reach. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { output } from "../../../tests/support/child.js";
import { cleanConfig } from "../engine/git-config.js";
import { awf as awfScript, outputOf } from "../testing/security/attempts.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const identity = ["-c", "user.name=a", "-c", "user.email=a@b.test"];

function git(directory: string, ...words: string[]): string {
  return output("git", [...identity, "-c", "protocol.file.allow=always", ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function repository(path: string): string {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q");
  git(path, "commit", "-q", "--allow-empty", "-m", "start");
  return path;
}

/** A workspace with a submodule, a worktree, a nested and a bare repository; another in the home directory. */
function repositoriesIn({ workspace, home, scratch }: TestInternet): readonly string[] {
  const origin = repository(join(scratch, "origin"));
  repository(workspace);
  git(workspace, "submodule", "add", "-q", origin, "libs/sub");
  git(workspace, "worktree", "add", "-q", "tree");
  repository(join(workspace, "a", "nested"));
  git(workspace, "init", "-q", "--bare", "bare");
  repository(join(home, "src", "other"));
  const inWorkspace = [".git", ".git/modules/libs/sub", "a/nested/.git", "bare"];
  return [...inWorkspace.map((path) => join(workspace, path)), join(home, "src/other/.git")];
}

/** Everything that git reads of them, by path. */
function stateOf(directories: readonly string[]): Record<string, string> {
  const files = directories.flatMap((directory) =>
    ["config", "info/attributes", "hooks/pre-commit", "commondir"].map((name) =>
      join(directory, name),
    ),
  );
  return Object.fromEntries(
    files.filter((path) => existsSync(path)).map((path) => [path, readFileSync(path, "utf8")]),
  );
}

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`hooks and settings of repositories stay as they are (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const directories = repositoriesIn(world);
    rmSync(join(world.workspace, "a/nested/.git/hooks"), { recursive: true });
    for (const directory of directories) writeFileSync(join(directory, "info/attributes"), "");
    const before = stateOf(directories);
    const pointers = ["tree/.git", "libs/sub/.git"].map((path) => join(world.workspace, path));
    const texts = pointers.map((path) => readFileSync(path, "utf8"));
    const script = directories.map(
      (path) => `
        echo evil > ${path}/hooks/pre-commit; rm -rf ${path}/hooks; mkdir ${path}/hooks
        echo evil > ${path}/hooks/pre-commit; echo evil >> ${path}/config
        git --git-dir ${path} config core.fsmonitor evil; echo '* filter=evil' >> ${path}/info/attributes
        mv ${path} ${path}2; mkdir ${path}; cp -r ${path}2/. ${path}; echo evil > ${path}/config
        echo ../evil > ${path}/commondir; mv ${path}/.. ${path}/../../moved`,
    );
    const replaced = pointers.map(
      (path) =>
        `echo 'gitdir: /evil' > n; mv n ${path}; echo 'gitdir: /evil' > ${path}; mv ${path} m`,
    );
    const { stderr } = await world.awf(
      [
        "--container-workdir",
        world.workspace,
        "--",
        `{ ${[...script, ...replaced].join("\n")}\n} 2>/dev/null`,
      ],
      { ordinary },
    );
    t.deepEqual(stateOf(directories), before);
    t.deepEqual(
      pointers.map((path) => readFileSync(path, "utf8")),
      texts,
    );
    t.regex(
      stderr,
      /Moved aside, since git would run it: .*commondir \(now commondir\.sandbox-\d+\)/,
    );
    for (const path of directories) git(path, "rev-parse", "--git-dir");
  });

  test(`work in repositories goes on as usual (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    repositoriesIn(world);
    const commit = `git ${identity.join(" ")} commit -q --allow-empty -m inside`;
    const script = `set -e; for d in $PWD libs/sub tree a/nested ~/src/other; do (cd $d; ${commit}; git checkout -q -b topic-$(basename $d)); done`;
    const { code, stderr } = await world.awf(
      ["--container-workdir", world.workspace, "--", script],
      {
        ordinary,
      },
    );
    t.is(code, 0, stderr);
    t.notRegex(stderr, /Moved aside|Not kept/);
    for (const path of [".", "libs/sub", "tree", "a/nested"])
      t.is(git(join(world.workspace, path), "log", "-1", "--format=%s"), "inside\n");
  });

  test(`new repositories are kept without what git would run (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const made = [join(world.workspace, "deep/er/new"), join(world.home, "new")];
    const script = made.map(
      (path) => `
      mkdir -p ${path}; cd ${path}; git init -q; git ${identity.join(" ")} commit -q --allow-empty -m inside
      git config core.fsmonitor evil; git config remote.origin.url 'https://example.test/"a\\'
      git config --add filter.lfs.clean evil; git config alias.st '!evil'; git config user.name 'Zoë "B"'
      printf '#!/bin/sh\nevil\n' > .git/hooks/post-commit; git worktree add -q tree`,
    );
    const { stderr } = await world.awf(["--", `set -e\n${script.join("\n")}`], { ordinary });
    for (const path of made) {
      t.is(git(path, "log", "-1", "--format=%s"), "inside\n");
      t.is(git(join(path, "tree"), "log", "-1", "--format=%s"), "inside\n");
      const names = git(path, "config", "--local", "--list", "--name-only").trim().split("\n");
      t.deepEqual(
        names.filter((name) => !name.startsWith("core.")),
        ["remote.origin.url", "user.name"],
      );
      t.false(names.includes("core.fsmonitor"));
      t.is(git(path, "config", "--local", "user.name"), 'Zoë "B"\n');
      t.is(git(path, "config", "--local", "remote.origin.url"), 'https://example.test/"a\\\n');
      const hooks = readdirSync(join(path, ".git/hooks")).filter(
        (name) => !name.endsWith(".sample"),
      );
      t.regex(hooks.join(), /^post-commit\.sandbox-\d+$/);
      t.true(stderr.includes(`${path}/.git/hooks/post-commit (now post-commit.sandbox-`));
      t.true(
        stderr.includes(`${path}/.git/config (without core.fsmonitor, filter.lfs.clean, alias.st)`),
      );
    }
  });

  test(`hooks that are a link stay the same link to the same files (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace } = world;
    repository(workspace);
    const hooks = join(workspace, ".git/hooks");
    rmSync(hooks, { recursive: true });
    mkdirSync(join(workspace, "tools"));
    symlinkSync("../tools", hooks);
    const script = `cd ${workspace}; echo evil > tools/pre-commit; mkdir evil; echo evil > evil/pre-commit; ln -sfn ../evil .git/hooks`;
    await world.awf(["--", `{ ${script}; } 2>/dev/null`], { ordinary });
    t.is(readlinkSync(hooks), "../tools");
    t.deepEqual(readdirSync(hooks), []);
  });

  test(`--allow-write opens a protected place only by its own name (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home } = world;
    repository(workspace);
    mkdirSync(join(home, ".config"));
    const [hooks, settings] = [join(workspace, ".git/hooks"), join(home, ".config")];
    mkdirSync(join(settings, "tool"));
    const script = `echo new > ${hooks}/pre-push; mkdir -p ${settings}/autostart; echo new | tee ${settings}/autostart/a ${settings}/tool/b`;
    const run = (...paths: string[]) =>
      world.awf(
        [...paths.flatMap((path) => ["--allow-write", path]), "--", `{ ${script}; } 2>/dev/null`],
        {
          ordinary,
        },
      );
    await run(workspace, join(settings, "tool"));
    t.false(existsSync(join(hooks, "pre-push")));
    t.false(existsSync(join(settings, "autostart")));
    t.true(existsSync(join(settings, "tool/b")));
    mkdirSync(join(settings, "autostart"));
    await run(workspace, hooks, join(settings, "autostart"));
    t.true(existsSync(join(hooks, "pre-push")));
    t.true(existsSync(join(settings, "autostart/a")));
  });

  test(`what a killed run left in new repositories is moved aside by the next start (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const path = join(world.workspace, "new");
    const run = world.start(
      process.execPath,
      [
        awfScript,
        "--",
        `git init -q ${path}; echo evil > ${path}/.git/hooks/pre-commit; echo up; sleep 600`,
      ],
      { ordinary },
    );
    await outputOf(run, "up");
    run.child.kill("SIGKILL");
    await run.result;
    await world.awf(["--", "true"], { ordinary });
    t.false(existsSync(join(path, ".git/hooks/pre-commit")));
  });
}

test("only settings that name no command stay in a configuration", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "awf-config-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "config");
  const commands = [
    ...[
      "core.fsmonitor",
      "core.hooksPath",
      "core.sshCommand",
      "core.pager",
      "core.editor",
      "core.askPass",
    ],
    ...[
      "alias.st",
      "filter.a.clean",
      "diff.external",
      "diff.a.command",
      "diff.a.textconv",
      "merge.a.driver",
    ],
    ...[
      "credential.helper",
      "credential.https://a.test.helper",
      "include.path",
      "includeIf.gitdir:/.path",
    ],
    ...[
      "gpg.program",
      "gpg.ssh.program",
      "pager.log",
      "sequence.editor",
      "remote.a.uploadpack",
      "http.proxy",
    ],
    ...["remote.a.receivepack", "remote.a.vcs", "submodule.a.update", "uploadpack.packObjectsHook"],
    ...[
      "gc.recentObjectsHook",
      "trailer.a.command",
      "init.templateDir",
      "lfs.customtransfer.a.path",
    ],
    ...[
      "branch.a.mergeOptions",
      "url.ext::evil.insteadOf",
      "protocol.ext.allow",
      "mergetool.a.cmd",
    ],
  ];
  const text = commands.map((key) => {
    const [section = "", ...rest] = key.split(".");
    const name = rest.pop();
    return `[${section}${rest.length > 0 ? ` "${rest.join(".")}"` : ""}]\n\t${name} = evil\n`;
  });
  writeFileSync(path, `[core]\n\tbare = false\n${text.join("")}`);
  t.is(cleanConfig(path, `${path}.aside`).length, 5);
  t.is(git(directory, "config", "--file", path, "--list"), "core.bare=false\n");
  writeFileSync(path, '[remote "a"]\n\turl = ext::sh -c evil\n\turl = git@a.test:b\n');
  t.deepEqual(cleanConfig(path, `${path}.aside`), ["remote.a.url"]);
  t.is(git(directory, "config", "--file", path, "--list"), "remote.a.url=git@a.test:b\n");
  writeFileSync(path, "[broken");
  t.deepEqual(cleanConfig(path, `${path}.aside`), ["every setting, since git cannot read it"]);
});
