/** What a config, its account and what people closed say about versions. */
import type { AccountSettings } from "../blocks/settings.js";
import type { Dependency, IgnoreRule, Policy, Strategy } from "../engine.js";
import type { ConfigExtras } from "../store/extras.js";
import type { Config } from "../store/tables.js";
import { matchesName } from "./glob.js";

const day = 24 * 60 * 60 * 1000;

export function policyOf(
  config: Config,
  extras: ConfigExtras,
  account: AccountSettings,
  closed: readonly { readonly name: string; readonly version: string }[],
): Policy {
  const ignore: IgnoreRule[] = [
    ...(extras.ignore ?? []),
    ...closed.map(({ name, version }) => ({
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
    cooldown,
    zero: account.zeroVersions,
  };
}

/** Whether the config's `allowed_updates` let this dependency be looked at; the first rule that fits decides. */
export function isAllowed(dependency: Dependency, { allow }: ConfigExtras): boolean {
  if (!allow || allow.length === 0) return true;
  return allow.some(
    (rule) =>
      (rule.dependency === undefined || matchesName(rule.dependency, dependency.name)) &&
      isOfType(dependency, rule.type ?? "all"),
  );
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
