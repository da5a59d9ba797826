/** Reads release notes from a local repository: the tag's message, the changelog, the commits. */
import { git } from "../../git/git.js";
import type { Repository } from "../../git/repository.js";
import { CHANGELOGS, excerpt } from "./changelog.js";
import type { ReleaseNotes, VersionStep } from "./contract.js";

const mostCommits = 20;

/** `undefined` if the new version has no tag and is no commit. */
export async function localReleaseNotes(
  repository: Repository,
  { tags, from, to, isOld, url, directory }: VersionStep,
): Promise<ReleaseNotes | undefined> {
  const [before, after] = await Promise.all([
    named(repository, from === undefined ? [] : tags(from)),
    named(repository, tags(to)),
  ]);
  if (!after) return undefined;
  const [notes, changelog, commits] = await Promise.all([
    message(repository, after.ref),
    changelogAt(repository, after.commit, { to, isOld, directory }),
    before ? between(repository, before.commit, after.commit, directory) : [],
  ]);
  return {
    url,
    commits,
    ...(notes === undefined ? {} : { notes }),
    ...(changelog === undefined ? {} : { changelog }),
  };
}

async function named(
  repository: Repository,
  names: readonly string[],
): Promise<{ readonly ref: string; readonly commit: string } | undefined> {
  for (const name of names) {
    const ref = /^[0-9a-f]{40}$/.test(name) ? name : `refs/tags/${name}`;
    const commit = await repository.resolve(ref);
    if (commit !== undefined) return { ref, commit };
  }
  return undefined;
}

/** The message of an annotated tag. */
async function message({ directory }: Repository, ref: string): Promise<string | undefined> {
  const args = ["for-each-ref", "--format=%(objecttype)%00%(contents)", ref];
  const { stdout } = await git(directory, args);
  const [type, ...contents] = stdout.toString("utf8").split("\0");
  const text = contents.join("").trim();
  return type === "tag" && text !== "" ? text : undefined;
}

async function changelogAt(
  repository: Repository,
  commit: string,
  { to, isOld, directory }: Pick<VersionStep, "to" | "isOld" | "directory">,
): Promise<string | undefined> {
  const args = ["ls-tree", "--name-only", "-z", commit, ...(directory ? [`${directory}/`] : [])];
  const { stdout } = await git(repository.directory, args);
  const paths = stdout.toString("utf8").split("\0");
  const path = paths.find((each) => CHANGELOGS.test(each.split("/").at(-1) ?? ""));
  if (path === undefined) return undefined;
  const text = (await repository.read(commit, path))?.toString("utf8");
  return text === undefined ? undefined : excerpt(text, to, isOld);
}

async function between(
  { directory: gitDirectory }: Repository,
  before: string,
  after: string,
  directory: string | undefined,
): Promise<ReleaseNotes["commits"]> {
  const args = [
    ...["log", `--max-count=${mostCommits}`, "--no-merges", "--format=%H%x00%s"],
    ...[`${before}..${after}`, "--", ...(directory ? [directory] : [])],
  ];
  const { stdout } = await git(gitDirectory, args);
  return stdout
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [sha = "", subject = ""] = line.split("\0");
      return sha === "" ? [] : [{ sha, subject }];
    });
}
