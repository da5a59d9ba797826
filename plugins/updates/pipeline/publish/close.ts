/** Closes pull requests. */
import { errorMessage } from "../../errors.js";
import type { RefStep } from "../../git/repository.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Pull } from "../../store/tables.js";
import type { Ports } from "../ports.js";

export type ClosePorts = Pick<Ports, "clock" | "emit" | "flushed" | "host" | "log" | "pulls">;

export interface Closing {
  /** `up_to_date`, `superseded`, `by_user`, `ignored`, `dependency_removed`, `config_removed`, `update_no_longer_possible`. */
  readonly reason: string;
  /** One sentence for the comment. */
  readonly comment: string;
  readonly supersededBy?: number;
}

/** Closes an open pull request here and on the host, and deletes its branch unless it has commits of others. */
export async function closePull(
  ports: ClosePorts,
  repo: NamedRepo,
  pull: Pull,
  { reason, comment, supersededBy }: Closing,
): Promise<Pull> {
  const closed = await ports.pulls.end(pull.id, ["open"], {
    state: "closed",
    reason,
    superseded_by: supersededBy ?? null,
    updated_at: ports.clock.now(),
  });
  if (!closed) return (await ports.pulls.byId(pull.id)) ?? pull;
  await ports.flushed();
  await closeOutside(ports, repo, pull, comment);
  ports.emit("update.closed", {
    repo: `${repo.login}/${repo.name}`,
    number: pull.number,
    reason,
    pull: pull.id,
  });
  return closed;
}

/** A person closed it: its versions and older ones are not offered again, see `closedByPerson`. */
export async function closedByUser(ports: ClosePorts, repo: NamedRepo, pull: Pull): Promise<Pull> {
  const { length } = await ports.pulls.dependenciesOf(pull);
  return closePull(ports, repo, pull, {
    reason: "by_user",
    comment:
      length === 1
        ? "This version and older ones are not offered again; newer ones are."
        : "This set of versions and older ones are not offered again; with a newer one it is.",
  });
}

/** Undoes a closing by a person, and every ignore rule of its dependencies. */
export async function offerAgain(
  ports: Pick<Ports, "configs" | "pulls">,
  pull: Pull,
): Promise<void> {
  const names = (await ports.pulls.dependenciesOf(pull)).map(({ name }) => name);
  await ports.pulls.offerAgain(pull.config_id, names);
  for (const name of names) await ports.configs.unignore(pull.config_id, name);
}

async function closeOutside(
  { host, log }: Pick<Ports, "host" | "log">,
  repo: NamedRepo,
  pull: Pull,
  comment: string,
): Promise<void> {
  const hostRepo = hostRepoOf(repo);
  try {
    await host.closePull(hostRepo, pull.number, comment);
    const step: RefStep = { ref: pull.head_ref, from: pull.head_sha, to: undefined };
    await host.publish(hostRepo, [step]);
  } catch (thrown) {
    log.info("Cannot close the pull request or delete its branch", {
      pull: pull.id,
      reason: errorMessage(thrown),
    });
  }
}

/** Milliseconds after which a closed record counts as closed everywhere. */
const recent = 3_600_000;

/** Closes pull requests on the host whose records are closed: the daemon died or lost its connection in between. */
export async function closeRemaining(
  ports: Pick<Ports, "clock" | "host" | "log" | "pulls">,
  repo: NamedRepo,
  open: readonly Pull[],
): Promise<void> {
  const { host } = ports;
  const since = ports.clock.now() - recent;
  const closed = await ports.pulls.list({ repoId: repo.id, state: "closed" });
  const repository = await host.open(hostRepoOf(repo));
  for (const pull of closed.filter(({ updated_at }) => updated_at >= since)) {
    // The branch name is in use by an open update.
    if (open.some(({ head_ref }) => head_ref === pull.head_ref)) continue;
    const there = await host.pull(hostRepoOf(repo), pull.number);
    const stays = (await repository.resolve(pull.head_ref)) === pull.head_sha;
    if (there?.state !== "open" && !stays) continue;
    const { superseded_by: next } = pull;
    const comment = next === null ? "It is not wanted any more." : `Superseded by #${next}.`;
    await closeOutside(ports, repo, pull, comment);
  }
}
