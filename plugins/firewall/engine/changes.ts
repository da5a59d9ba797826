/** What a command changed, taken over or moved aside when it has ended. Data, so that a later process can do it. */

import { reviewUnheld, type UnheldPaths } from "./denied-paths.js";
import type { Commit } from "./home/commit.js";
import { commitAsOwner } from "./home/commit-as-owner.js";
import { type HomeLayout, isUntouched } from "./home/layout.js";
import { hasUpper } from "./home/overlay.js";
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

/** Once every process of the command has ended. */
export function reviewHost({ repositories, unheld }: ChangeRecord): HostReview {
  const reviews = [reviewRepositories(repositories), reviewUnheld(unheld)];
  return {
    moved: reviews.flatMap(({ moved }) => moved),
    problems: reviews.flatMap(({ problems }) => problems),
  };
}

/** Once every process of the command has ended. */
export async function commitChanges(record: ChangeRecord): Promise<Commit> {
  const onHost = record.isReviewed ? { moved: [], problems: [] } : reviewHost(record);
  const commits: Commit[] = [];
  for (const layout of record.homes)
    if (hasUpper(layout) && !isUntouched(layout)) commits.push(await commitAsOwner(layout));
  return {
    held: commits.flatMap(({ held }) => held),
    moved: [...commits.flatMap(({ moved }) => moved), ...onHost.moved],
    problems: [...commits.flatMap(({ problems }) => problems), ...onHost.problems],
    isComplete: commits.every(({ isComplete }) => isComplete),
  };
}
