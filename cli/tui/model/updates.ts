/** Dependency updates as the daemon tells of them: what is looked after, jobs, pull requests. */
import type { Control } from "../../control/client.js";
import { ControlError } from "../../control/problem.js";

/** One project in a repository, and when it is looked at. */
export interface UpdateConfig {
  readonly id: number;
  readonly repo: string;
  readonly "package-manager": string;
  readonly directory: string;
  readonly "update-schedule": string;
  /** ISO 8601; `null` where it has not been, or is never by itself. */
  readonly "last-run-at": string | null;
  readonly "next-run-at": string | null;
  /** Why its files cannot be read, one sentence. */
  readonly trouble: string | null;
}

/** What a job says of one dependency. */
export interface UpdateOutcome {
  readonly name: string;
  readonly kind: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly why?: string;
  readonly pull?: number;
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
  /** What it does at the moment; absent once it is over. */
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

/** Jobs and pull requests that are asked for. */
const LIMIT = 100;

/** `undefined` where the plugin does not run. */
export async function updatesOf(control: Control): Promise<UpdatesView | undefined> {
  const ask = <Answer>(what: string) => control.get<Answer>(`/v1/updates/${what}?limit=${LIMIT}`);
  try {
    const [{ repos }, { configs }, { runs: jobs }, { pulls }] = await Promise.all([
      ask<Pick<UpdatesView, "repos">>("repos"),
      ask<Pick<UpdatesView, "configs">>("configs"),
      ask<{ readonly runs: readonly UpdateJob[] }>("runs"),
      ask<Pick<UpdatesView, "pulls">>("pulls"),
    ]);
    return { repos, configs, jobs, pulls };
  } catch (thrown) {
    if (!(thrown instanceof ControlError)) throw thrown;
    // Without an `updates` block there is nothing to tell of.
    return undefined;
  }
}
