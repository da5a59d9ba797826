/** Closes pull requests without a proposal, if the reason is permanent. */
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Pull } from "../../store/tables.js";
import type { DependencyDecision } from "../plan/decisions.js";
import type { OpenPull } from "../plan/open-pulls.js";
import type { Ports } from "../ports.js";
import type { ClosePorts } from "./close.js";
import { type Closing, closePull } from "./close.js";
import { markMerged } from "./recover.js";

interface ObsoleteScope {
  readonly repo: NamedRepo;
  readonly decisions: readonly DependencyDecision[];
}

export async function closeObsolete(
  ports: ClosePorts,
  work: ObsoleteScope,
  left: readonly OpenPull[],
): Promise<void> {
  for (const open of left) {
    const closing = reasonFor(work, open);
    if (!closing) continue;
    const merge = await mergeOf(ports, work.repo, open.pull);
    if (merge === undefined) await closePull(ports, work.repo, open.pull, closing);
    else await markMerged(ports, work.repo, open.pull, merge);
  }
}

/** The merge commit, if it is already merged. Then it is not closed. */
async function mergeOf(
  { host }: Pick<Ports, "host">,
  repo: NamedRepo,
  { base, head_sha: head, number }: Pull,
): Promise<string | undefined> {
  const hostRepo = hostRepoOf(repo);
  if (host.kind !== "embedded") {
    const there = await host.pull(hostRepo, number);
    return there?.state === "merged" ? there.head : undefined;
  }
  const repository = await host.open(hostRepo);
  const tip = await repository.resolve(`refs/heads/${base}`);
  return tip !== undefined && (await repository.contains(tip, head)) ? tip : undefined;
}

/** `undefined` if the reason may pass. */
function reasonFor({ decisions }: ObsoleteScope, { dependencies }: OpenPull): Closing | undefined {
  const now = dependencies.map(({ name }) =>
    decisions.filter((each) => each.dependency.name === name),
  );
  if (now.every((each) => each.length === 0)) {
    return { reason: "dependency_removed", comment: "The dependency is not used any more." };
  }
  const current = now.flat().map(({ decision }) => decision);
  if (current.some(({ kind }) => kind !== "none")) return undefined;
  const reasons = current.flatMap((each) => (each.kind === "none" ? [each.reason] : []));
  if (reasons.every((reason) => reason === "up_to_date")) {
    return { reason: "up_to_date", comment: "The dependency is up to date." };
  }
  if (reasons.includes("cooling_down")) return undefined;
  return {
    reason: "update_no_longer_possible",
    comment: "The update is not possible any more, or not wanted.",
  };
}
