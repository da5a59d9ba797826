/** A real bare repository in the temporary directory, with commits and tags. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "../../../tests/support/child.js";

export interface GitRemote extends AsyncDisposable {
  readonly path: string;
  /** Commits to `branch`; returns the commit id. */
  commit(branch: string, message: string): Promise<string>;
  /** `annotated` creates a tag object. */
  tag(name: string, commit: string, annotated?: boolean): Promise<void>;
}

const environment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.test",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.test",
};

export async function gitRemote(): Promise<GitRemote> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-remote-"));
  const path = join(directory, "acme", "thing");
  await mkdir(path, { recursive: true });
  const git = async (...args: string[]): Promise<string> => {
    const stdout = await outputOf("git", args, { cwd: path, env: environment });
    return stdout.trim();
  };
  await git("init", "--quiet", "--bare", "--initial-branch=main");
  const tips = new Map<string, string>();
  return {
    path,
    commit: async (branch, message) => {
      const tree = await emptyTree(path);
      const parent = tips.get(branch);
      const parents = parent === undefined ? [] : ["-p", parent];
      const commit = await git("commit-tree", ...parents, "-m", message, tree);
      await git("update-ref", `refs/heads/${branch}`, commit);
      tips.set(branch, commit);
      return commit;
    },
    tag: async (name, commit, annotated = false) => {
      await git("tag", ...(annotated ? ["-a", "-m", name] : []), name, commit);
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

async function emptyTree(cwd: string): Promise<string> {
  const words = ["hash-object", "-t", "tree", "-w", "--stdin"];
  return (await outputOf("git", words, { cwd, env: environment })).trim();
}
