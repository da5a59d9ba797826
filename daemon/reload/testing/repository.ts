/** A real git repository, isolated from the settings of the user who runs the tests. */
import type { ExecutionContext } from "ava";
import { output } from "../../../tests/support/child.js";
import { directoryWith } from "./directory.js";

const environment = {
  PATH: process.env.PATH ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@localhost",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@localhost",
};

export function git(directory: string, ...args: readonly string[]): string {
  return output("git", ["-C", directory, ...args], { env: environment }).trim();
}

/** A directory with these files, committed on the branch `main`. */
export function repositoryWith(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): string {
  const directory = directoryWith(t, files);
  git(directory, "init", "-q", "-b", "main");
  git(directory, "add", ".");
  git(directory, "commit", "-qm", "first");
  return directory;
}
