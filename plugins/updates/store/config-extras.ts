/** Config settings beyond the reference's attributes, stored as JSON. */

export interface ConfigExtras {
  readonly updateSubdependencies?: boolean;
  readonly requirementsUpdateStrategy?: string | null;
  readonly automergeWhitelist?: readonly string[];
  readonly openPullRequestsLimit?: number;
  readonly labels?: readonly string[];
  readonly ignore?: readonly ConfigIgnore[];
  readonly allow?: readonly ConfigAllow[];
  readonly groups?: readonly ConfigGroup[];
  readonly automerged?: readonly ConfigAutomerge[];
  readonly commitPrefix?: string;
  readonly commitPrefixDevelopment?: string;
  readonly commitScope?: boolean;
  readonly cooldownDays?: number;
  readonly cooldown?: ConfigCooldown;
  /** Replaces `update_schedule`. */
  readonly cron?: string;
  /** Pull requests are not rebased when their base moves. */
  readonly rebase?: false;
  /** Replaces the slash in branch names. */
  readonly branchSeparator?: string;
  /** `HH:MM`, a weekday and a time zone from a version 2 file. */
  readonly time?: string;
  readonly day?: string;
  readonly timeZone?: string;
  /** A daily config runs from Monday to Friday. */
  readonly weekdays?: true;
}
interface ConfigIgnore {
  readonly dependency: string;
  readonly versions?: readonly string[];
  readonly changes?: readonly ("major" | "minor" | "patch")[];
}
interface ConfigAllow {
  readonly dependency?: string;
  readonly type?: "development" | "production" | "direct" | "indirect" | "all";
  readonly securityOnly?: boolean;
}
export interface ConfigGroup {
  readonly name: string;
  readonly patterns?: readonly string[];
  readonly exclude?: readonly string[];
  readonly type?: "development" | "production";
  readonly changes?: readonly ("major" | "minor" | "patch")[];
  readonly appliesTo?: "version-updates" | "security-updates";
}
/** In days; supplements `cooldownDays`. */
interface ConfigCooldown {
  readonly changes?: Readonly<Partial<Record<"major" | "minor" | "patch", number>>>;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}
interface ConfigAutomerge {
  readonly dependency?: string;
  readonly type: "development" | "production" | "all";
  readonly rule: string;
}
