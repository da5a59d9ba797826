/** What a command changed, taken over or moved aside when it has ended. Data, so that a later process can do it. */
import { reviewUnheld, type UnheldPaths } from "./denied-paths.js";
import type { HomeLayout } from "./home.js";
import { type Commit, commitHomes } from "./home-commit.js";
import { type MovedAside, type RepositoryRecord, reviewRepositories } from "./repositories.js";

export interface ChangeRecord {
  readonly homes: readonly HomeLayout[];
  readonly repositories: RepositoryRecord;
  /** Paths that the command may not write. */
  readonly unheld: UnheldPaths;
  /** Whether `reviewHost` was called after the command's end. */
  readonly isReviewed: boolean;
}

/** What was moved aside in directories that the command wrote at once. */
interface HostReview {
  readonly moved: readonly MovedAside[];
  readonly problems: readonly string[];
}

export interface CommittedChanges extends Commit, HostReview {}

/** Once every process of the command has ended. */
export function reviewHost({ repositories, unheld }: ChangeRecord): HostReview {
  const reviews = [reviewRepositories(repositories), reviewUnheld(unheld)];
  return {
    moved: reviews.flatMap(({ moved }) => moved),
    problems: reviews.flatMap(({ problems }) => problems),
  };
}

/** Once every process of the command has ended. Repositories first, so that new ones are harmless when they appear. */
export function commitChanges(record: ChangeRecord): CommittedChanges {
  const { homes, repositories, isReviewed } = record;
  const roots = homes.map(({ root }) => root);
  const inHomes = reviewRepositories({ ...repositories, roots });
  const onHost = isReviewed ? { moved: [], problems: [] } : reviewHost(record);
  const { held, problems, isComplete } = commitHomes(homes);
  const inHome = (path: string): string => {
    const layout = homes.find(({ root }) => path.startsWith(`${root}/`));
    return layout ? layout.home + path.slice(layout.root.length) : path;
  };
  const moved = inHomes.moved.map(({ path, note }) => ({ path: inHome(path), note }));
  return {
    held,
    isComplete,
    moved: [...moved, ...onHost.moved],
    problems: [...problems, ...inHomes.problems.map(inHome), ...onHost.problems],
  };
}
