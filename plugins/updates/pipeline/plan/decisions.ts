/** Decides about every dependency of a config: which version is offered, or why none is. */
import type { Advisory } from "../../advisories/contract.js";
import { accountSettings } from "../../blocks/settings.js";
import type { UpdateDecision, UpdatePolicy } from "../../decide/contract.js";
import { declarationKey } from "../../decide/decide.js";
import { propose } from "../../decide/propose.js";
import { errorMessage, UpdatesError } from "../../errors.js";
import type { Dependency, Manager } from "../../managers/contract.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import type { Lookup } from "../../registries/contract.js";
import { extrasOf, type ProjectFacts } from "../../store/configs.js";
import type { NamedRepo } from "../../store/repos.js";
import type { DependencyOutcome } from "../../store/runs.js";
import type { Config } from "../../store/tables.js";
import type { Ports } from "../ports.js";
import { openPullsOf } from "./open-pulls.js";
import { allowed, policyOf } from "./policy.js";

export type DecisionPorts = Pick<
  Ports,
  "advisories" | "clock" | "configs" | "isShared" | "managers" | "pulls" | "settings" | "stages"
>;

export interface DependencyDecision {
  readonly dependency: Dependency;
  readonly decision: UpdateDecision | FailedDecision;
}

/** The lookup failed. */
interface FailedDecision {
  readonly kind: "failed";
  readonly reason: string;
  readonly why: string;
  /** Milliseconds until a retry may succeed; `undefined` if a retry cannot help. */
  readonly retryAfter: number | undefined;
}

export interface DecisionScope {
  readonly config: Config;
  readonly repo: NamedRepo;
  /** Only these dependencies; `undefined`: all of them. */
  readonly names: ReadonlySet<string> | undefined;
  /** When the release was announced that is the reason for the run. */
  readonly announcedAt?: number | undefined;
  /** When a person requested the run: older responses of registries do not count. */
  readonly requestedAt?: number | undefined;
  /** Versions that did not resolve in this run. */
  readonly refused?: readonly string[];
}

export async function decideConfig(
  ports: Pick<
    Ports,
    "advisories" | "clock" | "configs" | "isShared" | "managers" | "pulls" | "settings" | "stages"
  >,
  { config, repo, names, announcedAt, requestedAt, refused = [] }: DecisionScope,
): Promise<readonly DependencyDecision[]> {
  const { managers } = ports;
  const isNew = announcedAt !== undefined && ports.isShared;
  const id = config.package_manager as PackageManager;
  const current = (await ports.configs.byId(config.id)) ?? config;
  const extras = extrasOf(current);
  const [manager, all, policy] = await Promise.all([
    managerOf(id),
    ports.configs.dependencies(config.id),
    policyFor(ports, current, repo),
  ]);
  const selected = withLinked(all, names);
  const allowedFor = (what: "all" | "security"): readonly Dependency[] =>
    selected.filter((each) => allowed(each, extras) === what);
  const [wanted, securityOnly] = [allowedFor("all"), allowedFor("security")];
  const options: DecideOptions = {
    manager,
    lookup:
      requestedAt !== undefined
        ? managers.lookup.fresh(requestedAt)
        : isNew
          ? managers.lookupAfter(announcedAt)
          : managers.lookup,
    project: projectOf(current),
    policy: { ...policy, refused },
    advisories: ports.advisories.of(id),
    now: ports.clock.now(),
    onProgress: (done) =>
      ports.stages.say(config.id, { name: "looking up versions", done, of: wanted.length }),
  };
  const decisions = await decideAll(wanted, options);
  if (securityOnly.length === 0) return decisions;
  const securityPolicy = { ...options.policy, securityOnly: true };
  return [...decisions, ...(await decideAll(securityOnly, { ...options, policy: securityPolicy }))];
}

export const projectOf = ({ project }: Config): ProjectFacts =>
  JSON.parse(project ?? '{"runtime":{}}') as ProjectFacts;

/** The config's own settings, its account's, and what persons ignored or closed. */
export async function policyFor(
  ports: Pick<Ports, "configs" | "pulls" | "settings">,
  config: Config,
  repo: NamedRepo,
): Promise<UpdatePolicy> {
  const account = accountSettings(ports.settings, repo.login);
  const [ignores, closed, elsewhere] = await Promise.all([
    ports.configs.ignores(config.id),
    ports.pulls.closedByPerson(config.id),
    runtimesElsewhere(ports, config),
  ]);
  const policy = policyOf(config, extrasOf(config), account, ignores, closed);
  return elsewhere.size === 0
    ? policy
    : { ...policy, elsewhere: { manager: RUNTIMES, declarations: elsewhere } };
}

const RUNTIMES: PackageManager = "runtimes";

/** What a config of runtimes updates, so that one pull request has all files of a runtime. */
async function runtimesElsewhere(
  { configs }: Pick<Ports, "configs">,
  { id, repo_id, package_manager, target_branch }: Config,
): Promise<ReadonlySet<string>> {
  if (package_manager === RUNTIMES) return new Set();
  const others = (await configs.ofRepo(repo_id)).filter(
    (each) =>
      each.id !== id && each.package_manager === RUNTIMES && each.target_branch === target_branch,
  );
  const found = await Promise.all(others.map((each) => configs.dependencies(each.id)));
  return new Set(
    found
      .flat()
      .filter(({ origin }) => origin.kind !== "none")
      .flatMap(({ declarations }) => declarations.map(declarationKey)),
  );
}

/** The outcome of a run that started now. Changes nothing. */
export async function preview(
  ports: DecisionPorts,
  config: Config,
  repo: NamedRepo,
  names: readonly string[] | undefined,
): Promise<readonly DependencyOutcome[]> {
  const scope = { config, repo, names: names && new Set(names) };
  const decisions = await decideConfig(ports, scope);
  const open = await openPullsOf(ports, config);
  return decisions.map((each) => {
    const outcome = outcomeOf(each);
    const match = open.find(({ dependencies }) =>
      dependencies.some(
        ({ name, to_version }) => name === outcome.name && to_version === outcome.to,
      ),
    );
    if (!match) return outcome;
    const { id: pull, number } = match.pull;
    return { ...outcome, kind: "pull_request", pull, number };
  });
}

export function outcomeOf({ dependency, decision }: DependencyDecision): DependencyOutcome {
  const { name } = dependency;
  if (decision.kind === "update") {
    return {
      name,
      kind: "waiting",
      reason: "update",
      why: `${name} ${decision.to} is offered.`,
      ...(decision.from === undefined ? {} : { from: decision.from }),
      to: decision.to,
    };
  }
  const { kind, reason, why } = decision;
  const from = dependency.current;
  return { name, kind, reason, why, ...(from === undefined ? {} : { from }) };
}

/** The dependencies with these names, and those that move together with them. */
function withLinked(
  all: readonly Dependency[],
  names: ReadonlySet<string> | undefined,
): readonly Dependency[] {
  if (names === undefined) return all;
  const own = all.filter(({ name }) => names.has(name));
  const links = new Set(own.flatMap(({ together }) => together ?? []));
  return all.filter(
    ({ name, together }) => names.has(name) || (together !== undefined && links.has(together)),
  );
}

interface DecideOptions {
  readonly manager: Manager;
  readonly lookup: Lookup;
  readonly project: ProjectFacts;
  readonly policy: UpdatePolicy;
  readonly advisories: (name: string) => readonly Advisory[];
  readonly now: number;
  /** Gets the number of dependencies decided so far. */
  readonly onProgress: (done: number) => void;
}

/** Concurrent decisions of one config; the lookup limits the requests to each registry itself. */
const atOnce = 32;

async function decideAll(
  dependencies: readonly Dependency[],
  options: DecideOptions,
): Promise<readonly DependencyDecision[]> {
  const library = await isLibrary(options);
  const decisions: DependencyDecision[] = [];
  for (let at = 0; at < dependencies.length; at += atOnce) {
    options.onProgress(at);
    const part = dependencies.slice(at, at + atOnce);
    decisions.push(...(await Promise.all(part.map((each) => decideOne(each, library, options)))));
  }
  return decisions;
}

/** The ranges of a library stay wide. A failed lookup counts as "no library". */
function isLibrary({ manager, lookup, project }: DecideOptions): Promise<boolean> {
  return manager.isLibrary({ ...project, dependencies: [], broken: [] }, lookup).catch(() => false);
}

async function decideOne(
  dependency: Dependency,
  library: boolean,
  { project, advisories, onProgress: _onProgress, ...options }: DecideOptions,
): Promise<DependencyDecision> {
  try {
    const decision = await propose({
      ...options,
      ...{ dependency, library, runtime: project.runtime },
      advisories: advisories(dependency.name),
    });
    return { dependency, decision };
  } catch (thrown) {
    const isExpected = thrown instanceof UpdatesError;
    const reason = isExpected ? thrown.code : "internal";
    const retryAfter = isExpected ? thrown.retryAfter : undefined;
    const why = errorMessage(thrown);
    return { dependency, decision: { kind: "failed", reason, why, retryAfter } };
  }
}
