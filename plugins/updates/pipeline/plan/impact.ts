/** Which configs a release would update, and how: from the index and the cache, without requests or changes. */
import type { UpdatePolicy } from "../../decide/contract.js";
import { decide } from "../../decide/decide.js";
import type { Dependency, Manager } from "../../managers/contract.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import { extrasOf } from "../../store/configs.js";
import type { NamedRepo } from "../../store/repos.js";
import type { Config } from "../../store/tables.js";
import type { Ports, ReleaseNotification } from "../ports.js";
import { policyFor, projectOf } from "./decisions.js";
import { rulesOf, verdictOf } from "./merge-rules.js";
import { allowed } from "./policy.js";

export interface Impact {
  readonly repo: NamedRepo;
  readonly config: Config;
  readonly from: string | undefined;
  /** The current requirement already allows the version. */
  readonly inRange: boolean;
  /** `major`, `minor`, `patch` or `other`. */
  readonly change: string;
  /** The changed requirements in manifests. */
  readonly diff: ReadonlyArray<{
    readonly file: string;
    readonly from: string;
    readonly to: string;
  }>;
  readonly automerge: boolean;
  readonly why: string;
}

export type ImpactPorts = Pick<
  Ports,
  "advisories" | "clock" | "configs" | "managers" | "pulls" | "repos" | "settings"
>;

/** Decides as a run would if the registry had this version beside those that the cache knows. */
export async function impactOf(
  ports: ImpactPorts,
  notification: Pick<ReleaseNotification, "packageManager" | "name" | "accounts"> & {
    readonly version: string;
  },
): Promise<readonly Impact[]> {
  const { packageManager, name, accounts, version } = notification;
  const manager = await managerOf(packageManager);
  const { configs, repos } = ports;
  const [users, uses, all] = await Promise.all([
    configs.users(packageManager, name, accounts),
    configs.uses(packageManager, name),
    repos.all(),
  ]);
  const byId = new Map(all.map((repo) => [repo.id, repo]));
  const found = await Promise.all(
    users.map(async (config) => {
      const repo = byId.get(config.repo_id);
      if (!repo) return [];
      const policy = await policyFor(ports, config, repo);
      const given = { config, repo, policy, version };
      return Promise.all(
        (uses.get(config.id) ?? []).map((dependency) =>
          impact(ports, manager, { ...given, dependency }),
        ),
      );
    }),
  );
  return found.flat().filter((each) => each !== undefined);
}

interface Considered {
  readonly config: Config;
  readonly repo: NamedRepo;
  readonly policy: UpdatePolicy;
  readonly dependency: Dependency;
  readonly version: string;
}

/** `undefined` if a run would not offer the version. */
async function impact(
  { advisories, clock, managers }: ImpactPorts,
  manager: Manager,
  { config, repo, policy, dependency, version }: Considered,
): Promise<Impact | undefined> {
  const { declarations, name } = dependency;
  const permitted = allowed(dependency, extrasOf(config));
  if (permitted === undefined) return undefined;
  const project = projectOf(config);
  const parsed = { ...project, dependencies: [], broken: [] };
  const lookup = managers.lookup.known();
  const [cached, library] = await Promise.all([
    manager.available(dependency, lookup, { dates: false }).catch(() => ({ releases: [] })),
    manager.isLibrary(parsed, lookup).catch(() => false),
  ]);
  const now = clock.now();
  const release = cached.releases.find((each) => each.version === version);
  const decision = decide({
    ...{ manager, dependency, library, now, runtime: project.runtime },
    // The publisher's mark of the latest version moves with the release.
    available: {
      releases: release ? cached.releases : [...cached.releases, { version, published: now }],
    },
    advisories: advisories.of(config.package_manager as PackageManager)(name),
    policy: permitted === "security" ? { ...policy, securityOnly: true } : policy,
  });
  if (decision.kind !== "update" || decision.to !== version) return undefined;
  const { from, inRange, semver, change, fixes } = decision;
  const updateType = semver ?? "other";
  const development = declarations.length > 0 && declarations.every((each) => each.development);
  const verdict = verdictOf(
    [
      {
        name,
        kind: development ? "development" : "runtime",
        update_type: updateType,
        in_range: inRange ? 1 : 0,
        security: fixes.length > 0 ? 1 : 0,
        to_version: version,
      },
    ],
    rulesOf(config, manager),
  );
  const diff = declarations.flatMap(({ file, requirement }, index) => {
    const to = change.requirements[index] ?? requirement;
    return to === requirement ? [] : [{ file, from: requirement, to }];
  });
  return {
    ...{ repo, config, from, inRange, diff, change: updateType },
    ...{ automerge: verdict.matches, why: verdict.why },
  };
}
