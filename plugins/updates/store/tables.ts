/** The tables. Times are milliseconds since the epoch, booleans 0 and 1, structures JSON. */
import type { Generated, Insertable, Selectable, Updateable } from "kysely";

export interface Tables {
  accounts: AccountTable;
  tokens: TokenTable;
  repos: RepoTable;
  update_configs: ConfigTable;
  dependencies: DependencyTable;
  runs: RunTable;
  pull_requests: PullTable;
  pull_dependencies: PullDependencyTable;
  ignores: IgnoreTable;
  pending: PendingTable;
  settled: FlushTable;
  answers: AnswerTable;
  pushes: PushTable;
  events: EventTable;
  folder: FolderTable;
}

/** One row: the mark of the folder that the records belong to. */
interface FolderTable {
  id: number;
  mark: string;
}

/** The event log. */
interface EventTable {
  id: Generated<number>;
  at: number;
  /** The name of the daemon that emitted it. */
  daemon: string;
  type: string;
  /** As JSON. */
  data: string;
}

/** A commit that is or was being pushed to a remote host. */
interface PushTable {
  repo_id: number;
  ref: string;
  sha: string;
}

/** A cached response of a registry, with its validators. */
interface AnswerTable {
  /** The request. */
  key: string;
  etag: string | null;
  last_modified: string | null;
  /** As JSON. */
  digest: string;
  kept_at: number;
}

/** One row, written to flush the disk. */
interface FlushTable {
  at: number;
}

interface AccountTable {
  id: Generated<number>;
  /** The id on the code host; on the embedded host, the record's own id. */
  host_id: number;
  login: string;
  type: "org" | "user";
  /** No longer on the host. */
  gone: Generated<number>;
}

interface TokenTable {
  id: Generated<number>;
  /** The SHA-256 of the token, hexadecimal; the token itself is not stored. */
  digest: string;
  name: string;
  /** `null`: all accounts. */
  account_id: number | null;
  scope: "read" | "push" | "admin";
  created_at: number;
}

interface RepoTable {
  id: Generated<number>;
  account_id: number;
  host_id: number;
  name: string;
  /** A directory, or a clone URL. */
  place: string;
  url: string;
  private: number;
  fork: number;
  language: string | null;
  default_branch: string;
  /** The config file that defines the configs. */
  config_file: string | null;
  /** The last processed commit of the default branch. */
  seen_head: Generated<string | null>;
  gone: Generated<number>;
}

interface ConfigTable {
  id: Generated<number>;
  repo_id: number;
  package_manager: string;
  /** As requested: `github_actions` or `host_actions`. */
  package_manager_spelling: string;
  directory: string;
  update_schedule: "live" | "daily" | "weekly" | "monthly";
  /** Empty: the default branch. Not null, so that the unique key works. */
  target_branch: string;
  lockfile_only: number;
  security_updates_only: number;
  automerge_runtime: string;
  automerge_development: string;
  /** `ConfigExtras`. */
  extras: string;
  source: "api" | "file";
  created_at: number;
  /** The next scheduled run. */
  next_run_at: number;
  last_run_at: number | null;
  /** The commit of the indexed dependencies. */
  indexed_at: string | null;
  /** Why the manifests of that commit cannot be read. */
  trouble: string | null;
  /** `ProjectFacts`. */
  project: string | null;
}

interface DependencyTable {
  config_id: number;
  package_manager: string;
  /** Normalized by the package manager. */
  name: string;
  /** The `Dependency`. */
  data: string;
}

interface RunTable {
  id: Generated<number>;
  config_id: number;
  repo_id: number;
  trigger: string;
  state: "running" | "succeeded" | "failed" | "interrupted";
  started_at: number;
  finished_at: number | null;
  reason: string | null;
  /** `DependencyOutcome[]`. */
  outcomes: string;
}

interface PullTable {
  id: Generated<number>;
  repo_id: number;
  config_id: number;
  number: number;
  base: string;
  base_sha: string;
  head_ref: string;
  head_sha: string;
  title: string;
  body: string;
  /** `preparing` is hidden: the branch may not exist yet. */
  state: "preparing" | "open" | "merged" | "closed";
  /** Why it was closed: `up_to_date`, `superseded`, `by_user`, `offered_again` if a user undid that, … */
  reason: string | null;
  superseded_by: number | null;
  security: number;
  /** The lock file's note; prevents the automatic merge. */
  note: string | null;
  checks: "none" | "pending" | "passed" | "failed";
  /** `undecided`, `refused`, `waiting`, `merged`; `asked`: a user requested the merge, whatever the rules say. */
  automerge: string;
  automerge_reason: string | null;
  labels: string;
  created_at: number;
  updated_at: number;
  merged_sha: string | null;
}

interface PullDependencyTable {
  pull_id: number;
  name: string;
  from_version: string | null;
  to_version: string;
  kind: "runtime" | "development" | "both";
  requirement: string | null;
  update_type: string;
  in_range: number;
  security: number;
}

/** A reason to run a config; deleted after a run that handled it. */
interface PendingTable {
  id: Generated<number>;
  config_id: number;
  /** Only this dependency; empty: all of them. */
  name: string;
  trigger: string;
  /** When the release was announced, the same for all configs that use it; without a name, when the run was requested. */
  announced_at: Generated<number | null>;
}

interface IgnoreTable {
  config_id: number;
  name: string;
  /** An exact version, `3.x`, `3.1.x`; empty: every version. */
  version: string;
}

export type Account = Selectable<AccountTable>;
export type AccessToken = Selectable<TokenTable>;
export type Repo = Selectable<RepoTable>;
export type Config = Selectable<ConfigTable>;
export type NewConfig = Omit<Insertable<ConfigTable>, "id">;
export type ConfigChange = Updateable<ConfigTable>;
export type KeptEvent = Selectable<EventTable>;
export type RunRow = Selectable<RunTable>;
export type Pull = Selectable<PullTable>;
export type NewPull = Omit<Insertable<PullTable>, "id" | "number">;
export type PullDependency = Selectable<PullDependencyTable>;
