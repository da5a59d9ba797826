/** What is kept, as rows. Times are milliseconds since the epoch, truths are 0 and 1, structures are JSON. */
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

/** One row, where the repositories lie in a folder: whose records these are. */
interface FolderTable {
  id: number;
  mark: string;
}

/** What happened, numbered. */
interface EventTable {
  id: Generated<number>;
  at: number;
  /** What the daemon is called where it happened. */
  daemon: string;
  type: string;
  /** As JSON. */
  data: string;
}

/** A commit that is, or was, on its way to a code host elsewhere. */
interface PushTable {
  repo_id: number;
  ref: string;
  sha: string;
}

/** Of a registry, with what tells whether it still holds. */
interface AnswerTable {
  /** The question. */
  key: string;
  etag: string | null;
  last_modified: string | null;
  /** As JSON. */
  digest: string;
  kept_at: number;
}

/** One row, written to wait for the disk. */
interface FlushTable {
  at: number;
}

interface AccountTable {
  id: Generated<number>;
  /** On the code host; the embedded host calls it what we do. */
  host_id: number;
  login: string;
  type: "org" | "user";
  /** Whether it is there on the host no more. */
  gone: Generated<number>;
}

interface TokenTable {
  id: Generated<number>;
  /** SHA-256 of the token, hexadecimal; the token itself is kept nowhere. */
  digest: string;
  name: string;
  /** Absent: all accounts. */
  account_id: number | null;
  scope: "read" | "push" | "admin";
  created_at: number;
}

interface RepoTable {
  id: Generated<number>;
  account_id: number;
  host_id: number;
  name: string;
  /** A directory, or the address to clone from. */
  place: string;
  url: string;
  private: number;
  fork: number;
  language: string | null;
  default_branch: string;
  /** The file its configs come from, where they come from one. */
  config_file: string | null;
  /** Where the default branch stood when it was last taken in. */
  seen_head: Generated<string | null>;
  gone: Generated<number>;
}

interface ConfigTable {
  id: Generated<number>;
  repo_id: number;
  package_manager: string;
  /** As the caller wrote it: `github_actions` or `host_actions`. */
  package_manager_spelling: string;
  directory: string;
  update_schedule: "live" | "daily" | "weekly" | "monthly";
  /** Empty: the default branch. Not null, so that duplicates are one key. */
  target_branch: string;
  lockfile_only: number;
  security_updates_only: number;
  automerge_runtime: string;
  automerge_development: string;
  /** Everything that is not in the reference: `ConfigExtras`. */
  extras: string;
  source: "api" | "file";
  created_at: number;
  /** The next run by schedule. */
  next_run_at: number;
  last_run_at: number | null;
  /** The commit its dependencies were read at. */
  indexed_at: string | null;
  /** Why its manifests cannot be read at that commit. */
  trouble: string | null;
  /** What else was read of the project: `Project`. */
  project: string | null;
}

interface DependencyTable {
  config_id: number;
  package_manager: string;
  /** As its manager compares names. */
  name: string;
  /** The manager's own record of it. */
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
  /** `Outcome[]`: one for each dependency that was looked at. */
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
  /** `preparing` is shown to nobody: its branch may not be there yet. */
  state: "preparing" | "open" | "merged" | "closed";
  /** Why it was closed: `up_to_date`, `superseded`, `by_user`, … */
  reason: string | null;
  superseded_by: number | null;
  security: number;
  /** The note of its lock file: such a request is never merged by itself. */
  note: string | null;
  checks: "none" | "pending" | "passed" | "failed";
  /** `undecided`, `refused`, `waiting`, `merged`; `asked`: somebody wants it merged, whatever the rules say. */
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

/** Why a config has to run: kept until a run that has seen it is over. */
interface PendingTable {
  id: Generated<number>;
  config_id: number;
  /** Only this dependency; empty: all of them. */
  name: string;
  trigger: string;
  /** When the release was announced that is the reason, where one is: the same for all who use it. */
  announced_at: Generated<number | null>;
}

interface IgnoreTable {
  config_id: number;
  name: string;
  /** That exact version, `3.x`, `3.1.x`; empty: every version. */
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
