/** A pull request that is not wanted any more. */
import type { RefStep } from "../git/repository.js";
import { sentence } from "../problem.js";
import type { UpdatesService } from "../service.js";
import { type NamedRepo, placeOf } from "../store/repos.js";
import type { Pull } from "../store/tables.js";

export interface Closing {
  /** `up_to_date`, `superseded`, `by_user`, `dependency_removed`, `update_no_longer_possible`. */
  readonly reason: string;
  /** One sentence for people. */
  readonly comment: string;
  readonly supersededBy?: number;
}

/** Closes it here and on the host, and deletes its branch where nobody else has been at it; not one that is over already. */
export async function closePull(
  service: UpdatesService,
  repo: NamedRepo,
  pull: Pull,
  { reason, comment, supersededBy }: Closing,
): Promise<Pull> {
  const closed = await service.store.pulls.end(pull.id, ["open"], {
    state: "closed",
    reason,
    superseded_by: supersededBy ?? null,
    updated_at: service.context.clock.now(),
  });
  if (!closed) return (await service.store.pulls.byId(pull.id)) ?? pull;
  await service.store.settled();
  const place = placeOf(repo);
  try {
    await service.host.closePull(place, pull.number, comment);
    const step: RefStep = { ref: pull.head_ref, from: pull.head_sha, to: undefined };
    await service.host.publish(place, [step]);
  } catch (thrown) {
    service.context.log.info("the branch of a closed update stays", {
      pull: pull.id,
      reason: sentence(thrown),
    });
  }
  service.progress.emit("update.closed", {
    repo: `${repo.login}/${repo.name}`,
    number: pull.number,
    reason,
    pull: pull.id,
  });
  return closed;
}
