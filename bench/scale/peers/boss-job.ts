/** A job of ours as pg-boss keeps it. */
import type { JobAttempt, JobInsert } from "pg-boss";
import type { LeaseToken, NewJob } from "../../../daemon/services/jobs/queue-store.js";
import { uuidOf } from "./boss-ids.js";

export interface Data {
  readonly priority: number;
  readonly payload: string;
}

export function insertOf(job: NewJob, now: number): JobInsert<Data> {
  const { payload, key, dedupe, priority, runAt } = job;
  const id = uuidOf(job.id);
  return {
    id,
    data: { payload, priority },
    priority: Math.trunc(priority),
    // Jobs without one would all be one.
    singletonKey: dedupe ?? id,
    ...(key === undefined ? {} : { group: { id: key } }),
    ...(runAt > now ? { startAfter: new Date(runAt) } : {}),
  };
}

export const attemptOf = ({ id, token }: LeaseToken): JobAttempt => ({
  id: uuidOf(id),
  retryCount: Number(token),
});

/** What the library answers, of which its types tell nothing. */
export const changedBy = (response: unknown): readonly string[] =>
  (response as { settled?: readonly string[] }).settled ?? [];
