/** What the screen shows: projects, jobs and pull requests. */
import type { Control } from "reeve/cli";

/** One project in a repository, and its schedule. */
export interface UpdateConfig {
  readonly id: number;
  readonly repo: string;
  readonly "package-manager": string;
  readonly directory: string;
  readonly "update-schedule": string;
  /** ISO 8601; `null` before the first run, or without a schedule. */
  readonly "last-run-at": string | null;
  readonly "next-run-at": string | null;
  /** Why its files cannot be read, one sentence. */
  readonly trouble: string | null;
}

/** The result of a job for one dependency. */
export interface UpdateOutcome {
  readonly name: string;
  readonly kind: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly why?: string;
  readonly number?: number;
}

export interface UpdateJob {
  readonly id: number;
  readonly repo: string;
  readonly config: number;
  readonly trigger: string;
  readonly state: string;
  readonly reason: string | null;
  readonly "started-at": string;
  readonly "finished-at": string | null;
  readonly outcomes: readonly UpdateOutcome[];
  /** The current stage; absent once the job has finished. */
  readonly stage?: { readonly name: string; readonly done?: number; readonly of?: number };
  /** Stages of the newest jobs, oldest first. */
  readonly log?: ReadonlyArray<{ readonly at: number; readonly text: string }>;
}

export interface UpdatePull {
  readonly id: number;
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly checks: string;
  readonly automerge: string;
  readonly "automerge-reason": string | null;
  readonly note: string | null;
  readonly security: boolean;
  readonly "created-at": string;
  readonly "updated-at": string;
  readonly body: string;
  readonly dependencies: ReadonlyArray<{
    readonly name: string;
    readonly from: string | null;
    readonly to: string;
    readonly "update-type": string;
  }>;
}

export interface UpdatesView {
  /** `ACCOUNT/NAME`, also of those without a config. */
  readonly repos: ReadonlyArray<{ readonly name: string }>;
  readonly configs: readonly UpdateConfig[];
  /** Newest first. */
  readonly jobs: readonly UpdateJob[];
  readonly pulls: readonly UpdatePull[];
}

/** Jobs and pull requests in one response. */
const LIMIT = 100;

/** `undefined` where the plugin does not run. */
export async function loadUpdates(control: Control): Promise<UpdatesView | undefined> {
  const find = <Body>(path: string) => control.find<Body>(path, { limit: LIMIT });
  const [repos, configs, runs, pulls] = await Promise.all([
    find<Pick<UpdatesView, "repos">>("/repos"),
    find<Pick<UpdatesView, "configs">>("/configs"),
    find<{ readonly runs: readonly UpdateJob[] }>("/runs"),
    find<Pick<UpdatesView, "pulls">>("/pulls"),
  ]);
  if (!repos || !configs || !runs || !pulls) return undefined;
  return {
    ...{ repos: repos.repos, configs: configs.configs },
    ...{ jobs: runs.runs, pulls: pulls.pulls },
  };
}
