/** The merge queue of a simulated GitHub: the answer to a direct merge, and the part of GraphQL that adds to the queue. */

export interface SimulatedQueue {
  /** Numbers of the pull requests in the queue. */
  readonly entries: number[];
  /** Why the queue refuses the next pull request. */
  refusal?: string;
}

export const directMerge = [
  405,
  { message: "Changes must be made through the merge queue" },
] as const;

interface QueueVariables {
  readonly number?: number;
  readonly id?: string;
  readonly head?: string;
}

/** `headOf` returns the head of a pull request. */
export async function answerGraphql(
  queue: SimulatedQueue,
  { query, variables }: { readonly query: string; readonly variables: QueueVariables },
  headOf: (number: number) => Promise<string>,
): Promise<readonly [status: number, body: unknown]> {
  const { number, id, head } = variables;
  if (number !== undefined) {
    const pullRequest = { id: `PR_${number}`, isInMergeQueue: queue.entries.includes(number) };
    return [200, { data: { repository: { pullRequest } } }];
  }
  const added = Number(id?.replace("PR_", ""));
  const isStale = head !== (await headOf(added));
  const refusal = isStale ? "Head sha does not match the expected head oid" : queue.refusal;
  if (!query.includes("enqueuePullRequest") || refusal !== undefined)
    return [200, { data: null, errors: [{ message: refusal ?? "Unknown mutation" }] }];
  queue.entries.push(added);
  return [200, { data: { enqueuePullRequest: { mergeQueueEntry: { id: "MQ_1" } } } }];
}
