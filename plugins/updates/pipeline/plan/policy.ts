/** Combines a config, its account and closed pull requests into a policy. */
import type { AccountSettings } from "../../blocks/settings.js";
import type { IgnoreRule, UpdatePolicy } from "../../decide/contract.js";
import { matchesPattern } from "../../decide/ignore.js";
import type { Dependency, Strategy } from "../../managers/contract.js";
import type { ConfigExtras } from "../../store/configs.js";
import type { ClosedVersion } from "../../store/pulls.js";
import type { Config } from "../../store/tables.js";

const day = 24 * 60 * 60 * 1000;

export function policyOf(
  config: Config,
  extras: ConfigExtras,
  account: AccountSettings,
  ignored: readonly { readonly name: string; readonly version: string }[],
  closed: readonly (readonly ClosedVersion[])[],
): UpdatePolicy {
  const ignore: IgnoreRule[] = [
    ...(extras.ignore ?? []),
    ...ignored.map(({ name, version }) => ({
      dependency: name,
      ...(version === "" ? {} : { versions: [version] }),
    })),
  ];
  const cooldown = extras.cooldownDays === undefined ? account.cooldown : extras.cooldownDays * day;
  return {
    lockfileOnly: config.lockfile_only === 1,
    securityOnly: config.security_updates_only === 1,
    ...(extras.requirementsUpdateStrategy
      ? { strategy: extras.requirementsUpdateStrategy as Strategy }
      : {}),
    ignore,
    // Several dependencies of one pull request are closed as a set, see `closedSetOf`.
    closed: closed.flatMap((each) => (each.length === 1 ? each : [])),
    cooldown,
    ...cooldownsOf(extras),
    zero: account.zeroVersions,
  };
}

function cooldownsOf({ cooldown }: ConfigExtras): Pick<UpdatePolicy, "cooldowns"> {
  if (!cooldown) return {};
  const { changes = {}, ...names } = cooldown;
  const inMilliseconds = Object.entries(changes).map(([change, days]) => [change, days * day]);
  return { cooldowns: { ...names, changes: Object.fromEntries(inMilliseconds) } };
}

/** Whether pull requests are rebased when their base moves. */
export const rebases = ({ rebase }: ConfigExtras, account: AccountSettings): boolean =>
  rebase ?? account.automaticallyRebase;

/** What `allowed_updates` permits for the dependency: all updates, security fixes, or none. */
export function allowed(
  dependency: Dependency,
  { allow }: ConfigExtras,
): "all" | "security" | undefined {
  if (!allow || allow.length === 0) return "all";
  const fitting = allow.filter(
    (rule) =>
      (rule.dependency === undefined || matchesPattern(rule.dependency, dependency.name)) &&
      isOfType(dependency, rule.type ?? "all"),
  );
  if (fitting.length === 0) return undefined;
  return fitting.every(({ securityOnly }) => securityOnly) ? "security" : "all";
}

function isOfType(
  { development, declarations }: Dependency,
  type: NonNullable<NonNullable<ConfigExtras["allow"]>[number]["type"]>,
): boolean {
  switch (type) {
    case "development":
      return development;
    case "production":
      return !development;
    case "direct":
      return declarations.length > 0;
    case "indirect":
      return declarations.length === 0;
    case "all":
      return true;
  }
}
