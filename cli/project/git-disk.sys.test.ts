import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../tests/support/child.js";
import type { Failure } from "../plugin-api/exit.js";
import { folder } from "../testing/reeve.js";
import { gitDisk } from "./git-disk.js";

/** A repository whose first commit has these files; `links` are symbolic links. */
function repository(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): string {
  const directory = folder(t, files);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(directory, name));
  git(directory, "init", "--quiet");
  git(directory, "add", "--all");
  git(directory, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first");
  return directory;
}

const git = (directory: string, ...words: readonly string[]) =>
  output("git", ["-C", directory, ...words]);

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

test("files are as they were in the commit, whatever is on disk now", async (t) => {
  const directory = repository(t, { "main.reeve": "old", "teams/a.reeve": "a" });
  writeFileSync(join(directory, "main.reeve"), "new");
  rmSync(join(directory, "teams"), { recursive: true });
  writeFileSync(join(directory, "later.reeve"), "later");
  const disk = await gitDisk(join(directory, "main.reeve"), "HEAD");
  t.is(textOf(await disk.readFile(join(directory, "main.reeve"))), "old");
  t.is(textOf(await disk.readFile(join(directory, "teams/a.reeve"))), "a");
  t.deepEqual(await disk.glob(join(directory, "**/*.reeve")), [
    join(directory, "main.reeve"),
    join(directory, "teams/a.reeve"),
  ]);
  await t.throwsAsync(disk.readFile(join(directory, "later.reeve")), { code: "ENOENT" });
  await t.throwsAsync(disk.readFile(join(directory, "teams")), { code: "EISDIR" });
});

test("the configuration may be in a directory of the repository, and reach above itself", async (t) => {
  const directory = repository(t, { "hosts/web/main.reeve": "web", "shared/x.reeve": "x" });
  const root = join(directory, "hosts/web/main.reeve");
  const disk = await gitDisk(root, "HEAD");
  t.is(textOf(await disk.readFile(root)), "web");
  t.is(textOf(await disk.readFile(join(directory, "shared/x.reeve"))), "x");
  t.deepEqual(await disk.glob(join(directory, "shared/*.reeve")), [
    join(directory, "shared/x.reeve"),
  ]);
});

test("symbolic links are followed inside the commit", async (t) => {
  const directory = repository(
    t,
    { "main.reeve": "", "real/a.reeve": "a" },
    { "link.reeve": "real/a.reeve", teams: "./real", round: "round", away: "/etc" },
  );
  rmSync(join(directory, "real"), { recursive: true });
  const disk = await gitDisk(join(directory, "main.reeve"), "HEAD");
  for (const name of ["link.reeve", "teams/a.reeve", "teams/../real/a.reeve"]) {
    t.is(textOf(await disk.readFile(join(directory, name))), "a", name);
    t.is(await disk.realPath(join(directory, name)), join(directory, "real/a.reeve"));
  }
  await t.throwsAsync(disk.readFile(join(directory, "round")), { code: "ELOOP" });
  await t.throwsAsync(disk.readFile(join(directory, "away/passwd")), { code: "ENOENT" });
});

test("what is not in the repository is read as it is now", async (t) => {
  const outside = folder(t, { "x.txt": "now" });
  const directory = repository(t, { "main.reeve": "" });
  const disk = await gitDisk(join(directory, "main.reeve"), "HEAD");
  t.is(textOf(await disk.readFile(join(outside, "x.txt"))), "now");
});

const refused = test.macro<[string, RegExp]>({
  async exec(t, revision, message) {
    const directory = repository(t, { "main.reeve": "" });
    const failure = await t.throwsAsync<Failure>(gitDisk(join(directory, "main.reeve"), revision), {
      message,
    });
    t.is(failure?.exit, 66);
  },
  title: (_, revision) => `\`git:${revision}\` is refused in a sentence`,
});
test(refused, "nope", /^git knows no commit `nope`$/);
test(refused, "--help", /^git knows no commit `--help`$/);
test(refused, "HEAD:main.reeve", /^git knows no commit `HEAD:main\.reeve`$/);

test("a directory that is in no repository is refused in a sentence", async (t) => {
  const directory = folder(t, { "main.reeve": "" });
  // Nothing above the temporary directory is looked at.
  mkdirSync(join(directory, ".git"));
  await t.throwsAsync(gitDisk(join(directory, "main.reeve"), "HEAD"), {
    message: /^git cannot do it: .*not a git repository/,
  });
});
