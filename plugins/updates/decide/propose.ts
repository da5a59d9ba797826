/** Decides about one dependency: queries the registry, decides, and fills in the pin of the new version. */
import type { Advisory } from "../advisories/contract.js";
import type { Dependency, Manager, ParsedProject } from "../managers/contract.js";
import type { Lookup } from "../registries/contract.js";
import type { Update, UpdateDecision, UpdatePolicy } from "./contract.js";
import { coolsDown } from "./cooldown.js";
import { decide } from "./decide.js";

export interface DecisionRequest {
  readonly manager: Manager;
  readonly dependency: Dependency;
  readonly runtime: ParsedProject["runtime"];
  /** `manager.isLibrary(…)`, queried once per project. */
  readonly library: boolean;
  readonly advisories: readonly Advisory[];
  readonly policy: UpdatePolicy;
  readonly lookup: Lookup;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused`, `registry_garbled` */
export async function propose(proposal: DecisionRequest): Promise<UpdateDecision> {
  const { manager, dependency, policy, lookup } = proposal;
  const nothingToAsk = dependency.origin.kind === "none" || isIrrelevant(proposal);
  const available = nothingToAsk
    ? { releases: [] }
    : await manager.available(dependency, lookup, { dates: coolsDown(policy) });
  const decision = decide({ ...proposal, available });
  if (decision.kind === "none")
    return decision.reason === "up_to_date" ? ((await repinned(proposal)) ?? decision) : decision;
  const { change } = decision;
  const to = await manager.pinned(dependency, change.to, lookup);
  if (to === change.to) return decision;
  const strategy = policy.strategy ?? manager.strategy(proposal.library);
  const requirements = dependency.declarations.map((declaration) =>
    manager.requirement(declaration, to, strategy),
  );
  return { ...decision, change: { dependency, to, requirements } };
}

/** The version stays, but its pin has changed: a tag was moved. */
async function repinned({
  manager,
  dependency,
  lookup,
  library,
  policy,
}: DecisionRequest): Promise<Update | undefined> {
  const { current, extra, origin } = dependency;
  if (origin.kind === "none" || current === undefined || extra?.pin === undefined) return undefined;
  const to = await manager.pinned(dependency, { version: current }, lookup);
  if (to.pin === undefined || to.pin === extra.pin) return undefined;
  const strategy = policy.strategy ?? manager.strategy(library);
  const requirements = dependency.declarations.map((declaration) =>
    manager.requirement(declaration, to, strategy),
  );
  return {
    kind: "update",
    change: { dependency, to, requirements },
    from: current,
    to: current,
    semver: undefined,
    inRange: true,
    toPrerelease: manager.versioning.isPrerelease(current),
    fixes: [],
  };
}

/** Without an advisory, the registry's response cannot change the decision. */
const isIrrelevant = ({ dependency, advisories, policy }: DecisionRequest): boolean =>
  advisories.length === 0 && (dependency.declarations.length === 0 || policy.securityOnly);
