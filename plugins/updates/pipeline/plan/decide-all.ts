/** Looks at the dependencies of a config: what is offered, and what is decided about it. */
import type { Advisory } from "../../advisories/contract.js";
import type { UpdateDecision, UpdatePolicy } from "../../decide/contract.js";
import { propose } from "../../decide/propose.js";
import { errorMessage, UpdatesError } from "../../errors.js";
import type { Dependency, Manager } from "../../managers/contract.js";
import type { Lookup } from "../../registries/contract.js";
import type { ProjectFacts } from "../../store/configs.js";

export interface DependencyDecision {
  readonly dependency: Dependency;
  readonly decision: UpdateDecision | FailedDecision;
}

/** It could not be looked up. */
export interface FailedDecision {
  readonly kind: "failed";
  readonly reason: string;
  readonly why: string;
  /** Milliseconds after which it may work; absent where it will not. */
  readonly retryAfter: number | undefined;
}

export interface DecideOptions {
  readonly manager: Manager;
  readonly lookup: Lookup;
  readonly project: ProjectFacts;
  readonly policy: UpdatePolicy;
  readonly advisories: (name: string) => readonly Advisory[];
  readonly now: number;
  /** Told how many have been looked at. */
  readonly onProgress?: (done: number) => void;
}

/** Questions of one config that are under way at once; the look-up itself is gentle with each registry. */
const atOnce = 32;

export async function decideAll(
  dependencies: readonly Dependency[],
  options: DecideOptions,
): Promise<readonly DependencyDecision[]> {
  const library = await isLibrary(options);
  const decisions: DependencyDecision[] = [];
  for (let at = 0; at < dependencies.length; at += atOnce) {
    options.onProgress?.(at);
    const part = dependencies.slice(at, at + atOnce);
    decisions.push(...(await Promise.all(part.map((each) => decideOne(each, library, options)))));
  }
  return decisions;
}

/** Ranges of a library stay wide. Where that cannot be found out, it is none. */
function isLibrary({ manager, lookup, project }: DecideOptions): Promise<boolean> {
  return manager.isLibrary({ ...project, dependencies: [], broken: [] }, lookup).catch(() => false);
}

async function decideOne(
  dependency: Dependency,
  library: boolean,
  options: DecideOptions,
): Promise<DependencyDecision> {
  const { manager, lookup, project, policy, advisories, now } = options;
  try {
    const decision = await propose({
      manager,
      dependency,
      runtime: project.runtime,
      library,
      lookup,
      advisories: advisories(dependency.name),
      policy,
      now,
    });
    return { dependency, decision };
  } catch (thrown) {
    const isExpected = thrown instanceof UpdatesError;
    const reason = isExpected ? thrown.code : "internal";
    const retryAfter = isExpected ? thrown.retryAfter : undefined;
    return {
      dependency,
      decision: { kind: "failed", reason, why: errorMessage(thrown), retryAfter },
    };
  }
}
