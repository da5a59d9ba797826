/** Runs that start in a git work tree: what they open of it and of git's own directories, and what they do not. */
import {
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../../tests/support/child.js";
import { folder } from "../../../tests/support/folder.js";
import { needs, rootUser } from "../../../tests/support/needs.js";
import { remove } from "../../../tests/support/remove.js";
import { runIn, startFirewall } from "../testing/fixture.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const identity = [
  ...["-c", "user.name=a", "-c", "user.email=a@b.test"],
  ...["-c", "commit.gpgsign=false"],
];

function git(directory: string, ...words: string[]): string {
  return output("git", [...identity, "-c", "protocol.file.allow=always", ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function repository(path: string): string {
  mkdirSync(join(path, "s b/deep"), { recursive: true });
  git(path, "init", "-q");
  git(path, "commit", "-q", "--allow-empty", "-m", "start");
  return path;
}

/** A checkout with a submodule, and a linked worktree beside it. */
function checkouts(base: string): {
  readonly top: string;
  readonly tree: string;
  readonly sub: string;
} {
  const top = repository(join(base, "top"));
  git(top, "submodule", "add", "-q", repository(join(base, "origin")), "libs/s b");
  git(top, "commit", "-q", "-m", "submodule");
  const tree = join(base, "tr ee");
  git(top, "worktree", "add", "-q", "-b", "tree", tree);
  mkdirSync(join(tree, "s b/deep"), { recursive: true });
  const sub = join(top, "libs/s b");
  mkdirSync(join(sub, "s b/deep"), { recursive: true });
  return { top, tree, sub };
}

interface Base {
  readonly name: string;
  readonly make: (t: ExecutionContext) => string;
  readonly test: typeof test;
}

/** Below `/tmp`, which commands see empty, and where they see the host's files. */
const bases: readonly Base[] = [
  { name: "a temporary directory", make: (t) => folder(t), test },
  {
    name: "/srv",
    make: (t) => {
      const path = mkdtempSync("/srv/reeve-");
      t.teardown(() => remove(path));
      return path;
    },
    test: needs(test, rootUser),
  },
];
const users = [
  ["the caller", false],
  ["an ordinary user", true],
] as const;
const [, visible] = bases as [Base, Base];
const commit = `git ${identity.join(" ")} commit -q -m inside`;

for (const [as, ordinary] of users) {
  for (const { name, make, test } of bases)
    test(`git works wherever a run starts in a checkout (in ${name}, as ${as})`, async (t) => {
      await using world = await createTestInternet({});
      const base = make(t);
      const { top, tree, sub } = checkouts(base);
      for (const [index, start] of [
        top,
        join(top, "s b"),
        tree,
        join(tree, "s b/deep"),
        sub,
        join(sub, "s b/deep"),
      ].entries()) {
        const file = `f ${index}`;
        const { code, stdout, stderr } = await world.awf(
          [
            ...["--container-workdir", start, "--"],
            `set -e; git status --short; echo 1 > '${file}'; git add '${file}'; ${commit}; git mv '${file}' "$(git rev-parse --show-toplevel)/moved ${index}"; ${commit}
            touch '${base}/beside' '${top}/libs/beside' 2>/dev/null || true; git status --short`,
          ],
          { ordinary, directory: start },
        );
        t.is(code, 0, `${start}: ${stderr}`);
        t.notRegex(stderr, /Moved aside|Not kept/);
        t.notRegex(stdout, /f \d/);
        t.is(git(start, "log", "-2", "--format=%s"), "inside\ninside\n", start);
        t.regex(git(start, "show", "--stat", "--format="), new RegExp(`moved ${index}`));
        t.false(existsSync(join(base, "beside")));
        if (start.startsWith(sub)) t.false(existsSync(join(top, "libs/beside")));
        rmSync(join(top, "libs/beside"), { force: true });
      }
      t.is(git(top, "log", "-1", "--format=%s", "tree"), "inside\n");
      for (const path of [top, tree, sub]) git(path, "fsck", "--strict");
    });

  visible.test(`git's directory elsewhere keeps its hooks and settings (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { top, tree, sub } = checkouts(visible.make(t));
    const inner = join(top, ".git/modules/libs/s b");
    for (const [start, data] of [
      [join(tree, "s b"), join(top, ".git")],
      [join(sub, "s b"), inner],
    ] as const) {
      const [hooks, config] = [join(data, "hooks"), join(data, "config")];
      const before = { config: readFileSync(config, "utf8"), hooks: readdirSync(hooks) };
      const script = `{ echo evil > '${hooks}/pre-commit'; mv '${hooks}' '${hooks}2'; echo evil >> '${config}'; git config core.fsmonitor evil
        mv '${data}' '${data}2'; rm '${config}'; echo 'gitdir: /evil' > "$(git rev-parse --show-toplevel)/.git"; } 2>/dev/null; true`;
      const run = () =>
        world.awf(["--container-workdir", start, "--", script], { ordinary, directory: start });
      await run();
      t.deepEqual({ config: readFileSync(config, "utf8"), hooks: readdirSync(hooks) }, before);
      remove(hooks);
      const { stderr } = await world.awf(
        [
          "--",
          `mkdir '${hooks}'; echo evil > '${hooks}/pre-commit'; echo /evil > '${data}/commondir'`,
        ],
        { ordinary, directory: start },
      );
      for (const name of ["pre-commit", "commondir"])
        t.regex(stderr, new RegExp(`Moved aside, since git would run it: .*${name}.sandbox-`));
      t.regex(readdirSync(hooks).join(), /^pre-commit\.sandbox-\d+$/);
      t.is(readFileSync(config, "utf8"), before.config);
      git(start, "status");
    }
  });

  visible.test(`a submodule's superproject stays as it is (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { top, sub } = checkouts(visible.make(t));
    const tips = () => [
      git(top, "rev-parse", "HEAD"),
      readdirSync(top),
      readdirSync(join(top, ".git")),
    ];
    const before = tips();
    const script = `cd '${top}' && { touch new .git/new .git/index libs/new; git ${identity.join(" ")} commit -q --allow-empty -m evil; } 2>&1; cd '${sub}'; touch own`;
    const { stdout } = await world.awf(["--", script], { ordinary, directory: sub });
    t.regex(stdout, /Read-only file system/);
    t.deepEqual(tips(), before);
    t.true(existsSync(join(sub, "own")));
  });

  visible.test(`a planted pointer makes nothing writable (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const base = visible.make(t);
    const { top } = checkouts(base);
    const plain = join(base, "plain");
    mkdirSync(join(plain, "below"), { recursive: true });
    const targets = [".git", ".git/worktrees/tr-ee", ".git/modules/libs/s b"];
    for (const [index, target] of targets.map((path) => join(top, path)).entries()) {
      writeFileSync(join(plain, ".git"), `gitdir: ${target}\n`);
      for (const start of [plain, join(plain, "below")]) {
        const tried = [top, join(top, ".git"), target, base, ...(start === plain ? [] : [plain])];
        const script = `for at in ${tried.map((path) => `'${path}'`).join(" ")}; do touch "$at/evil" && echo "$at"; done 2>/dev/null; touch '${start}/own${index}'`;
        const { stdout, stderr } = await world.awf(["--", script], { ordinary, directory: start });
        t.is(stdout, "", stderr);
        for (const path of tried) t.false(existsSync(join(path, "evil")));
        t.true(existsSync(join(start, `own${index}`)));
      }
    }
  });

  visible.test(`no repository, and another user's, widen nothing (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const base = visible.make(t);
    const foreign = repository(join(base, "foreign"));
    const other = 61_234;
    for (const path of [foreign, join(foreign, ".git")]) lchownSync(path, other, other);
    for (const [start, parent] of [
      [join(foreign, "s b"), foreign],
      [join(base, "none/below"), join(base, "none")],
    ] as const) {
      mkdirSync(start, { recursive: true });
      const script = `touch '${start}/own'; touch '${parent}/evil' '${parent}/.git/evil' '${base}/evil' 2>/dev/null; true`;
      const { stderr } = await world.awf(["--", script], { ordinary, directory: start });
      t.true(existsSync(join(start, "own")), stderr);
      for (const path of [parent, join(parent, ".git"), base])
        t.false(existsSync(join(path, "evil")));
    }
  });
}

test("commands of the daemon can use git below their directory's top", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const { tree, sub } = checkouts(folder(t));
  for (const cwd of [join(tree, "s b"), join(sub, "s b/deep")]) {
    const argv = [`echo 1 > file && git add file && ${commit}`];
    const { ended, stderr } = await runIn(plugin, "a", { argv, cwd });
    t.is(ended.exitCode, 0, stderr);
    t.is(git(cwd, "log", "-1", "--format=%s"), "inside\n");
  }
});

test("a work tree that has the daemon's configuration is not open", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const top = repository(plugin.folder);
  const cwd = join(top, "s b");
  const before = readFileSync(join(top, "main.reeve"), "utf8");
  const argv = [`touch own; touch ../evil ../.git/evil 2>/dev/null; echo >> ../main.reeve`];
  await runIn(plugin, "a", { argv, cwd });
  t.true(existsSync(join(cwd, "own")));
  for (const path of ["evil", ".git/evil"]) t.false(existsSync(join(top, path)));
  t.is(readFileSync(join(top, "main.reeve"), "utf8"), before);
});

test("a pipe in the place of a `.git` file holds up neither start nor end", async (t) => {
  await using world = await createTestInternet({});
  const { code, stderr } = await world.awf(["--", `mkfifo '${world.workspace}/.git'`]);
  t.is(code, 0, stderr);
  t.is((await world.awf(["--", "true"])).code, 0);
});
