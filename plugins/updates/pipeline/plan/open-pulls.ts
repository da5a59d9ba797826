/** What is open already, compared with what is proposed now. */
import type { Pull, PullDependency } from "../../store/tables.js";
import type { Proposal } from "./proposals.js";

export interface OpenPull {
  readonly pull: Pull;
  readonly dependencies: readonly PullDependency[];
}

export interface PullMatch {
  /** For the very same versions. */
  readonly same: OpenPull | undefined;
  /** For others of the same dependencies: this proposal takes their place. */
  readonly older: readonly OpenPull[];
}

export function matchOf(
  { names, updates, security }: Proposal,
  open: readonly OpenPull[],
): PullMatch {
  const wanted = new Map(updates.map(({ change, to }) => [change.dependency.name, to]));
  const related = open.filter(({ pull, dependencies }) => {
    const theirs = [...new Set(dependencies.map(({ name }) => name))];
    const isWithin = theirs.every((name) => wanted.has(name));
    return isWithin && (theirs.length === names.length || pull.security === (security ? 1 : 0));
  });
  const same = related.find(
    ({ dependencies }) =>
      new Set(dependencies.map(({ name }) => name)).size === wanted.size &&
      dependencies.every(({ name, to_version }) => wanted.get(name) === to_version),
  );
  return { same, older: related.filter((each) => each !== same) };
}
