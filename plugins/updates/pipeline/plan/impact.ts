/** Which configs a release would update, and how: from the index, without requests or changes. */
import { accountSettings } from "../../blocks/settings.js";
import type { Dependency, Manager } from "../../managers/contract.js";
import { managerOf } from "../../managers/index.js";
import type { NamedRepo } from "../../store/repos.js";
import type { Config } from "../../store/tables.js";
import { semverChange } from "../../versions/change.js";
import type { Ports, ReleaseNotification } from "../ports.js";
import { rulesOf, verdictOf } from "./merge-rules.js";

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

export async function impactOf(
  ports: Pick<Ports, "configs" | "repos" | "settings">,
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
  return users.flatMap((config) => {
    const repo = byId.get(config.repo_id);
    if (!repo) return [];
    return (uses.get(config.id) ?? [])
      .filter((dependency) => isOlder(manager, dependency, version))
      .map((dependency) => impact(ports, manager, { config, repo, dependency, version }));
  });
}

function isOlder({ versioning }: Manager, { current }: Dependency, version: string): boolean {
  if (current === undefined) return true;
  if (!versioning.isVersion(current) || !versioning.isVersion(version)) return current !== version;
  return versioning.compare(version, current) > 0;
}

interface Considered {
  readonly config: Config;
  readonly repo: NamedRepo;
  readonly dependency: Dependency;
  readonly version: string;
}

function impact(
  { settings }: Pick<Ports, "settings">,
  manager: Manager,
  { config, repo, dependency, version }: Considered,
): Impact {
  const { current: from, declarations } = dependency;
  const account = accountSettings(settings, repo.login);
  const strategy = config.lockfile_only === 1 ? "lockfile_only" : manager.strategy(false);
  const inRange = declarations.every(({ requirement }) =>
    manager.versioning.satisfies(version, requirement),
  );
  const change =
    from === undefined
      ? "other"
      : (semverChange(manager.versioning, from, version, account.zeroVersions) ?? "other");
  const development = declarations.length > 0 && declarations.every((each) => each.development);
  const verdict = verdictOf(
    [
      {
        name: dependency.name,
        kind: development ? "development" : "runtime",
        update_type: change,
        in_range: inRange ? 1 : 0,
        security: 0,
        to_version: version,
      },
    ],
    rulesOf(config, manager),
  );
  const diff = declarations.flatMap((declaration) => {
    const to = manager.requirement(declaration, { version }, strategy);
    const { file, requirement } = declaration;
    return to === requirement ? [] : [{ file, from: requirement, to }];
  });
  return {
    repo,
    config,
    from,
    inRange,
    change,
    diff,
    automerge: verdict.matches,
    why: verdict.why,
  };
}
