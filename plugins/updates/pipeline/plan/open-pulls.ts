/** The open pull requests of a config, compared with its proposals. */
import type { Config, Pull, PullDependency } from "../../store/tables.js";
import type { Ports } from "../ports.js";
import type { Proposal } from "./proposals.js";

export interface OpenPull {
  readonly pull: Pull;
  readonly dependencies: readonly PullDependency[];
}

export async function openPullsOf(
  { pulls }: Pick<Ports, "pulls">,
  config: Config,
): Promise<readonly OpenPull[]> {
  const open = await pulls.list({ configId: config.id, state: "open" });
  const dependencies = await pulls.dependencies(open.map(({ id }) => id));
  return open.map((pull) => ({ pull, dependencies: dependencies.get(pull.id) ?? [] }));
}

export interface PullMatch {
  /** The same versions. */
  readonly same: OpenPull | undefined;
  /** Other versions of the same dependencies: the proposal replaces them. */
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
