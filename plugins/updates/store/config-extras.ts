/** What a config has beyond the attributes of the reference: kept as JSON. */

/** What a config has beyond the reference's attributes. */
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
  /** When it runs, instead of `update_schedule`. */
  readonly cron?: string;
  /** Updates are not made again when their base has moved. */
  readonly rebase?: false;
  /** Between the parts of a branch's name, instead of a slash. */
  readonly branchSeparator?: string;
  /** `HH:MM`, a weekday and a time zone of its own, where a file of version 2 gives them. */
  readonly time?: string;
  readonly day?: string;
  readonly timeZone?: string;
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
/** Days, beside `cooldownDays`. */
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
