/** GitHub's merge queue: the branch refuses direct merges, and only the GraphQL API adds a pull request to the queue. */
import { UpdatesError } from "../../errors.js";
import type { HostRepoRef } from "../../model.js";
import type { MergeRequest } from "../contract.js";
import { accepted } from "./responses.js";
import type { Ask, RestAnswer } from "./rest.js";

export const isQueueRequired = ({ status, body }: RestAnswer): boolean =>
  status === 405 && /merge queue/i.test(String(body?.message ?? ""));

/** Adds the pull request to the queue unless it is in it. @throws UpdatesError `moved`, `conflict` or `host_refused` */
export async function enqueued(
  ask: Ask,
  { login, name }: HostRepoRef,
  { number, head, wasQueued = false }: MergeRequest,
): Promise<"queued"> {
  const { repository } = await graphql(ask, QUERY, { login, name, number });
  const pull = repository?.pullRequest;
  if (pull?.isInMergeQueue === true) return "queued";
  if (wasQueued) throw new UpdatesError("conflict", "The merge queue of the code host removed it.");
  await graphql(ask, MUTATION, { id: pull?.id, head });
  return "queued";
}

const QUERY = `query($login: String!, $name: String!, $number: Int!) {
  repository(owner: $login, name: $name) { pullRequest(number: $number) { id isInMergeQueue } }
}`;

const MUTATION = `mutation($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { id } }
}`;

/** The address is `/graphql` at github.com, and beside `/api/v3` on other servers. */
async function graphql(ask: Ask, query: string, variables: object): Promise<RestAnswer["body"]> {
  const answer = await ask("POST", "/../graphql", { query, variables });
  const { data, errors } = (accepted(answer, "its merge queue") ?? {}) as {
    readonly data?: RestAnswer["body"];
    readonly errors?: readonly { readonly message?: unknown }[];
  };
  const [error] = errors ?? [];
  if (!error) return data;
  const why = String(error.message ?? "no reason").replace(/[.\s]+$/, "");
  if (/\bhead\b.*\b(oid|sha|match|modified)/i.test(why))
    throw new UpdatesError("moved", `The update has moved: ${why.slice(0, 200)}.`);
  throw new UpdatesError("conflict", `The merge queue refuses it: ${why.slice(0, 200)}.`);
}
