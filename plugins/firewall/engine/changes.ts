/** What a command changed, taken over or moved aside when it has ended. Data, so that a later start can do it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reviewUnheld, type UnheldPaths } from "./denied-paths.js";
import type { HomeLayout } from "./home.js";
import { type Commit, commitHomes } from "./home-commit.js";
import { type MovedAside, type RepositoryRecord, reviewRepositories } from "./repositories.js";

export interface ChangeRecord {
  readonly homes: readonly HomeLayout[];
  readonly repositories: RepositoryRecord;
  /** Paths that the command may not write; absent in records of earlier versions. */
  readonly unheld?: UnheldPaths;
}

export interface CommittedChanges extends Commit {
  readonly moved: readonly MovedAside[];
}

const file = "changes.json";

export function saveChanges(workDirectory: string, record: ChangeRecord): void {
  const path = join(workDirectory, file);
  // Complete under its name: a run can be killed at any moment.
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Commits what a killed run left. */
export function commitAbandoned(workDirectory: string): void {
  const path = join(workDirectory, file);
  if (existsSync(path)) commitChanges(JSON.parse(readFileSync(path, "utf8")) as ChangeRecord);
}

/** Once every process of the command has ended. Repositories first, so that new ones are harmless when they appear. */
export function commitChanges({
  homes,
  repositories,
  unheld = {},
}: ChangeRecord): CommittedChanges {
  const roots = [...repositories.roots, ...homes.map(({ root }) => root)];
  const { moved, problems } = reviewRepositories({ ...repositories, roots });
  const commit = commitHomes(homes);
  const denied = reviewUnheld(unheld);
  const inHome = (path: string): string => {
    const layout = homes.find(({ root }) => path.startsWith(`${root}/`));
    return layout ? layout.home + path.slice(layout.root.length) : path;
  };
  return {
    held: commit.held,
    moved: [...moved, ...denied.moved].map(({ path, note }) => ({ path: inHome(path), note })),
    problems: [...commit.problems, ...problems.map(inHome), ...denied.problems],
  };
}
