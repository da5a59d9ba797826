/** Recovers from a crash between two steps: completes what is partly visible, discards the rest. */
import { errorMessage } from "../../errors.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Pull } from "../../store/tables.js";
import type { JobLease } from "../job-lease.js";
import type { Ports } from "../ports.js";
import { closeRemaining } from "./close.js";
import { draftRef, reveal } from "./publish.js";

export type RecoverPorts = Pick<
  Ports,
  "clock" | "emit" | "enqueueFollow" | "host" | "log" | "pulls" | "pushes" | "repos" | "runs"
>;

export async function recover(
  ports: Pick<Ports, "clock" | "emit" | "host" | "log" | "pulls" | "pushes" | "repos">,
): Promise<void> {
  const prepared = await ports.pulls.list({ state: "preparing" });
  for (const pull of prepared) {
    const repo = await ports.repos.byId(pull.repo_id);
    if (!repo) {
      await ports.pulls.discard(pull.id);
      continue;
    }
    try {
      await completeOrDiscard(ports, repo, pull);
    } catch (thrown) {
      ports.log.warn("Cannot complete an interrupted update yet", {
        pull: pull.id,
        reason: errorMessage(thrown),
      });
    }
  }
  await noticeMerges(ports);
}

/** Recovers a repository whose job this daemon now holds: another daemon died, was stopped or lost its connection. */
export async function takeOver(
  ports: RecoverPorts,
  repo: NamedRepo,
  { hold }: JobLease,
): Promise<void> {
  // From here on, the previous owner cannot prepare anything.
  const isLeft = await ports.runs.interrupted(ports.clock.now(), repo.id);
  const prepared = await ports.pulls.list({ repoId: repo.id, state: "preparing" });
  for (const pull of prepared) await completeOrDiscard(ports, repo, pull, hold);
  if (!isLeft && prepared.length === 0) return;
  const open = await ports.pulls.list({ repoId: repo.id, state: "open" });
  await hold();
  await closeRemaining(ports, repo, open);
  for (const pull of open) {
    if (ports.host.kind === "embedded" && (await detectMerge(ports, repo, pull))) continue;
    // The job may never have been queued.
    if (isUndecided(pull)) await ports.enqueueFollow(pull);
  }
}

/** Whether its automatic merge is still open. */
export const isUndecided = ({ automerge }: Pull): boolean =>
  ["undecided", "waiting", "asked"].includes(automerge);

/** Cleans up after a failed step on the embedded host: discards it, or completes it if it succeeded. Never rejects. */
export async function reconcilePull(
  ports: Pick<Ports, "emit" | "host" | "log" | "pulls" | "pushes">,
  repo: NamedRepo,
): Promise<void> {
  const { host } = ports;
  if (host.kind !== "embedded") return;
  try {
    for (const pull of await ports.pulls.list({ repoId: repo.id, state: "preparing" })) {
      await completeOrDiscard(ports, repo, pull);
    }
  } catch (thrown) {
    ports.log.warn("Cannot recover a failed update yet", {
      repo: `${repo.login}/${repo.name}`,
      reason: errorMessage(thrown),
    });
  }
}

async function completeOrDiscard(
  ports: Pick<Ports, "emit" | "host" | "pulls" | "pushes">,
  repo: NamedRepo,
  pull: Pull,
  hold?: JobLease["hold"],
): Promise<void> {
  const repository = await ports.host.open(hostRepoOf(repo));
  const branch = await repository.resolve(pull.head_ref);
  if (pull.head_sha !== "" && branch === pull.head_sha) {
    await reveal(ports, repo, pull, hold);
    return;
  }
  const draft = await repository.resolve(draftRef(pull.id));
  if (draft !== undefined) {
    await repository.moveRefs([{ ref: draftRef(pull.id), from: draft, to: undefined }]);
  }
  await ports.pulls.discard(pull.id);
}

/** Finds pull requests whose merge was not recorded: their base contains the commit. */
async function noticeMerges(
  ports: Pick<Ports, "clock" | "emit" | "host" | "pulls" | "repos">,
): Promise<void> {
  const { host } = ports;
  if (host.kind !== "embedded") return;
  for (const pull of await ports.pulls.list({ state: "open" })) {
    const repo = await ports.repos.byId(pull.repo_id);
    if (!repo || repo.gone === 1) continue;
    await detectMerge(ports, repo, pull);
  }
}

/** Whether it is merged, on the embedded host. */
export async function detectMerge(
  ports: Pick<Ports, "clock" | "emit" | "host" | "pulls" | "repos">,
  repo: NamedRepo,
  pull: Pull,
): Promise<boolean> {
  const repository = await ports.host.open(hostRepoOf(repo));
  const base = await repository.resolve(`refs/heads/${pull.base}`);
  if (base === undefined || base === pull.base_sha) return false;
  if (await repository.contains(base, pull.head_sha)) {
    await markMerged(ports, repo, pull, base);
    return true;
  }
  await adoptBranch(ports, pull, await repository.resolve(pull.head_ref));
  return false;
}

/** Adopts a rebuilt branch whose record is outdated; the number's ref moved in the same step. */
async function adoptBranch(
  ports: Pick<Ports, "host" | "pulls" | "repos">,
  pull: Pull,
  branch: string | undefined,
): Promise<void> {
  if (branch === undefined || branch === pull.head_sha) return;
  const repo = await ports.repos.byId(pull.repo_id);
  if (!repo) return;
  const repository = await ports.host.open(hostRepoOf(repo));
  const numbered = await repository.resolve(`refs/pull/${pull.number}/head`);
  if (numbered === branch) {
    await ports.pulls.change(pull.id, { head_sha: branch, automerge: "undecided" });
  }
}

/** Also for a pull request closed after the merge: a commit in the base is merged. */
export async function markMerged(
  ports: Pick<Ports, "clock" | "emit" | "pulls">,
  repo: NamedRepo,
  pull: Pull,
  sha: string,
): Promise<void> {
  const merged = await ports.pulls.end(pull.id, ["open", "closed"], {
    state: "merged",
    merged_sha: sha,
    updated_at: ports.clock.now(),
  });
  if (!merged) return;
  ports.emit("update.merged", {
    repo: `${repo.login}/${repo.name}`,
    number: pull.number,
    title: pull.title,
    pull: pull.id,
  });
}
