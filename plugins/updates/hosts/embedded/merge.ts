/** Merges in a local repository: one compare-and-swap of refs, no checkout. */
import { basename } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Repository } from "../../git/repository.js";
import type { MergeRequest } from "../contract.js";

const author = { name: "Reeve", email: "reeve@localhost" };

/** Returns the new sha of the base, and deletes the head's branch. @throws UpdatesError `moved` or `conflict` */
export async function mergeLocally(
  repository: Repository,
  { base, head, headRef, mergeCommit, message, at }: MergeRequest,
): Promise<string> {
  const baseRef = `refs/heads/${base}`;
  const [from, branch] = await Promise.all([
    repository.resolve(baseRef),
    repository.resolve(headRef),
  ]);
  if (from === undefined) throw new UpdatesError("moved", `The branch ${base} no longer exists.`);
  if (branch !== head) throw new UpdatesError("moved", "The branch of the update has moved.");
  if (basename(repository.directory) === ".git" && (await repository.defaultBranch()) === base) {
    throw new UpdatesError(
      "conflict",
      `The branch ${base} is checked out in ${repository.directory}: merge it there.`,
    );
  }
  const to = mergeCommit
    ? await repository.mergeCommit(from, head, message, { ...author, at })
    : await forward(repository, from, head);
  await repository.moveRefs([
    { ref: baseRef, from, to },
    { ref: headRef, from: head, to: undefined },
  ]);
  return to;
}

async function forward(repository: Repository, from: string, head: string): Promise<string> {
  if (await repository.contains(head, from)) return head;
  throw new UpdatesError("moved", "The base has moved; the update must be rebased.");
}
