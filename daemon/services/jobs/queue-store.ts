/** Where the jobs of one queue are kept: in the daemon's own file, or in the database that daemons share. */
export interface QueueStore {
  /** Whether other daemons work on the same queue: then a claim holds only as long as its lease. */
  readonly isShared: boolean;
  /** Milliseconds, for queues that do not say. */
  readonly usualLease: number;
  /** The id of the job that waits: this one, or the one it would repeat. */
  add(job: NewJob): Promise<string>;
  /** The next jobs that may run now, as many as there is `room` for when that is asked. Nothing is claimed once `isOver` is true. */
  claim(room: () => number, lease: number, isOver: () => boolean): Promise<Claims>;
  /** The jobs whose claim is lost or that were cancelled. */
  renew(held: readonly LeaseToken[], lease: number): Promise<readonly string[]>;
  progress(held: LeaseToken, lease: number, progress: string): Promise<void>;
  done(held: LeaseToken): Promise<void>;
  /** At `runAt`, in milliseconds since the epoch. */
  retry(held: LeaseToken, runAt: number, reason: string): Promise<void>;
  fail(held: LeaseToken, reason: string): Promise<void>;
  /** Requeues jobs that no worker can finish; the attempt does not count. */
  release(held: readonly LeaseToken[]): Promise<void>;
  /** Removes a job, or marks it to be removed when its worker has heard of it. Whether there was one. */
  cancel(id: string): Promise<boolean>;
  sizes(): Promise<QueueCounts>;
}

export interface NewJob {
  readonly id: string;
  /** As JSON. */
  readonly payload: string;
  readonly key: string | undefined;
  readonly dedupe: string | undefined;
  readonly priority: number;
  readonly runAt: number;
}

/** The holder of the token owns the job; a completion with an old token has no effect. */
export interface LeaseToken {
  readonly id: string;
  readonly token: string;
}

export interface ClaimedJob extends LeaseToken {
  /** As JSON. */
  readonly payload: string;
  readonly progress: string | null;
  /** 1 for the first try. */
  readonly attempt: number;
}

export interface Claims {
  readonly jobs: readonly ClaimedJob[];
  /** When another claim may find something, in milliseconds since the epoch; `undefined`: when told. */
  readonly nextAt: number | undefined;
}

export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
}
