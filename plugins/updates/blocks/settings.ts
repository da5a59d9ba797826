/** The settings of the `updates` block, parsed. */
import { join } from "node:path";
import type { Secret } from "reeve/plugin";
import type { FilePattern } from "../managers/contract.js";
import type { PackageManager } from "../managers/index.js";
import type { HostKind } from "../model.js";
import type { UpdatesBlock } from "./blocks.js";

export interface AccountSettings {
  readonly updateRunTime: string;
  readonly weeklyUpdateRunDay: string;
  readonly timeZone: string;
  readonly automaticallyRebase: boolean;
  readonly createMergeCommits: boolean;
  readonly limitOpen: boolean;
  readonly openLimit: number;
  readonly limitInitial: boolean;
  readonly checks: "required" | "all" | "none-ok" | undefined;
  readonly zeroVersions: "caret" | "literal" | "strict";
  /** Milliseconds. */
  readonly cooldown: number;
  /** `monday 09:00-17:00`; empty: always. */
  readonly workingHours: readonly string[];
}

interface RegistrySettings {
  readonly manager: PackageManager;
  readonly url: string;
  readonly scope: string | undefined;
  readonly token: Secret | undefined;
  /** Used instead of a token. */
  readonly login: { readonly username: string; readonly password: Secret } | undefined;
}

export interface UpdatesSettings {
  readonly name: string;
  readonly listen: string;
  /** Without a trailing slash; `/` for none. */
  readonly basePath: string;
  readonly host:
    | {
        readonly kind: Exclude<HostKind, "embedded">;
        readonly url: string;
        readonly token: Secret;
        readonly webhookSecret: Secret | undefined;
        /** Milliseconds; 0: never. */
        readonly poll: number;
      }
    | undefined;
  /** The folder of the embedded host. */
  readonly root: string;
  readonly attributeNames: "host" | "github" | "both";
  readonly workers: number;
  readonly advisories: string | undefined;
  readonly unsafe: readonly PackageManager[];
  /** Hosts and networks with private addresses that repositories may name. */
  readonly allowedRegistries: readonly string[];
  /** The sandbox for tools. */
  readonly sandbox: string | undefined;
  readonly committer: { readonly name: string; readonly email: string };
  readonly registries: readonly RegistrySettings[];
  readonly patterns: readonly FilePattern[];
  readonly accounts: ReadonlyMap<string, AccountSettings>;
  readonly check: { readonly run: readonly string[]; readonly timeout: number } | undefined;
}

const usual: AccountSettings = {
  updateRunTime: "05:00",
  weeklyUpdateRunDay: "monday",
  timeZone: "UTC",
  automaticallyRebase: true,
  createMergeCommits: false,
  limitOpen: true,
  openLimit: 5,
  limitInitial: true,
  checks: undefined,
  zeroVersions: "caret",
  cooldown: 0,
  workingHours: [],
};

/** The settings of an account, or the defaults. */
export const accountSettings = (settings: UpdatesSettings, login: string): AccountSettings =>
  settings.accounts.get(login) ?? usual;

export function settingsOf({ label, values }: UpdatesBlock, state: string): UpdatesSettings {
  const [, name = "Reeve", email = "reeve@localhost"] =
    /^(.*) <(.*)>$/.exec(values.committer) ?? [];
  const { host, check } = values;
  return {
    name: label ?? "main",
    listen: values.listen,
    basePath: values.base_path.replace(/\/+$/, "") || "/",
    host: host && {
      kind: host.label as "github",
      url: trimmed(host.values.url),
      token: host.values.token,
      webhookSecret: host.values.webhook_secret,
      poll: host.values.poll,
    },
    root: values.repositories ?? join(state, "repositories"),
    attributeNames: values.attribute_names,
    workers: values.workers,
    advisories: values.advisories,
    unsafe: values.unsafe_managers,
    allowedRegistries: values.allow_registries,
    sandbox: values.tools_run_in?.label,
    committer: { name, email },
    registries: values.registry.map((each) => ({
      manager: each.label as PackageManager,
      url: trimmed(each.values.url),
      scope: each.values.scope,
      token: each.values.token,
      login: loginOf(each.values),
    })),
    patterns: values.pattern.map((each) => ({
      name: each.label ?? "",
      files: each.values.files,
      match: each.values.match.map(({ source, flags }) => ({ source, flags })),
      strategy: each.values.strategy,
      source: each.values.source,
      package: each.values.package,
    })),
    accounts: new Map(values.account.map((each) => [each.label ?? "", accountOf(each.values)])),
    check: check && { run: check.values.run, timeout: check.values.timeout },
  };
}

const loginOf = ({
  username,
  password,
}: {
  readonly username: string | undefined;
  readonly password: Secret | undefined;
}) => (username === undefined || password === undefined ? undefined : { username, password });

const trimmed = (url: string): string => url.replace(/\/+$/, "");

const accountOf = (
  values: UpdatesBlock["values"]["account"][number]["values"],
): AccountSettings => ({
  updateRunTime: values.update_run_time,
  weeklyUpdateRunDay: values.weekly_update_run_day,
  timeZone: values.time_zone,
  automaticallyRebase: values.automatically_rebase_prs,
  createMergeCommits: values.create_merge_commits,
  limitOpen: values.limit_open_pull_requests,
  openLimit: values.open_pull_requests_limit,
  limitInitial: values.limit_initial_update_runs,
  checks: values.automerge_checks,
  zeroVersions: values.zero_versions,
  cooldown: values.cooldown,
  workingHours: values.working_hours,
});
