/** Compares what was acknowledged with the records and with what commands did. */
import type { RunRecord } from "../../daemon/plugin-api/state.js";

export interface Delivery {
  readonly number: number;
  readonly text: string;
  /** `undefined` where no answer came. */
  status?: number;
  run?: string;
}

export interface Outcome {
  readonly deliveries: readonly Delivery[];
  /** By id. */
  readonly records: ReadonlyMap<string, RunRecord>;
  /** `NUMBER TEXT` of each command, when it began. */
  readonly done: readonly string[];
  /** Findings of damage. */
  readonly findings: number;
  /** Whether the records went with the directory they were in. */
  readonly isForgotten: boolean;
}

export const counted = [
  "acknowledged",
  "ran",
  "mayHaveRun",
  "named",
  "repeated",
  "refused",
  "lost",
  "changed",
  "twice",
  "ranRefused",
] as const;

/**
 * Of deliveries. `mayHaveRun`: their record says that they were interrupted or could not be started. `named`: a finding of damage says that they may be
 * missing. `repeated`: it says that their start is. `ranRefused`: they ran although they were refused.
 */
export type Counts = Record<(typeof counted)[number], number>;

export const nothing = (): Counts =>
  Object.fromEntries(counted.map((name) => [name, 0])) as unknown as Counts;

/** What must be 0 in every experiment. */
export const faults = ["lost", "changed", "twice", "ranRefused"] as const;

export function judge(outcome: Outcome): Counts {
  const counts = nothing();
  for (const delivery of outcome.deliveries) {
    const lines = outcome.done.filter((line) => line.startsWith(`${delivery.number} `));
    if (lines.some((line) => line !== `${delivery.number} ${delivery.text}`)) counts.changed += 1;
    if (lines.length > 1) counts[outcome.findings > 0 ? "repeated" : "twice"] += 1;
    if (delivery.status === 202) {
      counts.acknowledged += 1;
      counts[fate(delivery, lines.length > 0, outcome)] += 1;
    } else {
      counts.refused += 1;
      // Without an answer it may have been accepted.
      if (delivery.status !== undefined && lines.length > 0) counts.ranRefused += 1;
    }
  }
  return counts;
}

function fate(
  { run = "", text }: Delivery,
  hasRun: boolean,
  { records, findings, isForgotten }: Outcome,
): "ran" | "mayHaveRun" | "named" | "lost" | "changed" {
  const record = records.get(run);
  if (record === undefined) {
    if (isForgotten && hasRun) return "ran";
    return findings > 0 ? "named" : "lost";
  }
  if (record.request !== undefined && !JSON.stringify(record.request).includes(text)) {
    return "changed";
  }
  if (record.state === "succeeded") return hasRun ? "ran" : "lost";
  const isInterrupted = record.state === "interrupted" || record.state === "failed";
  if (isInterrupted && record.startedAt !== undefined) return "mayHaveRun";
  return findings > 0 ? "named" : "lost";
}
