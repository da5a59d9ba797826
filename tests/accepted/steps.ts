/** Random sequences of steps. A sequence follows from its seed alone. */
import { seeded } from "../../daemon/services/runs/journal/testing/recorded-files.js";

const HOOKS = ["plain", "queued", "keyed", "deduped", "retried", "followed"] as const;
export type HookName = (typeof HOOKS)[number];

/** A request before it is sent. */
export interface PlannedRequest {
  /** Unique in the sequence. */
  readonly number: number;
  readonly key: string;
  /** How many attempts fail. */
  readonly fails: number;
  /** Whether its command waits for the next release. */
  readonly isHeld: boolean;
}

/** `together`: all at once; else each waits for the answer to the one before it. */
export interface Burst {
  readonly do: "send";
  readonly hook: HookName;
  readonly together: boolean;
  readonly requests: readonly PlannedRequest[];
}

/** A signal, and the daemon's next start. */
export interface StopStep {
  readonly do: "stop";
  readonly how: "TERM" | "KILL";
  /** Whether commands are released between the signal and the end. */
  readonly release: boolean;
  /** Requests whose answers the signal may prevent. */
  readonly during?: Burst;
  /** Milliseconds before the signal, after these requests were sent. */
  readonly after: number;
  /** The next daemon is killed so many milliseconds after its launch, too. */
  readonly again?: number;
}

export type SequenceStep =
  | Burst
  | StopStep
  | { readonly do: "release" | "edit" | "hup" | "fill" | "free" }
  | { readonly do: "clock"; readonly to: number }
  /** Waits until commands have begun this often in all. */
  | { readonly do: "begins"; readonly count: number }
  | { readonly do: "moment"; readonly milliseconds: number };

export interface Sequence {
  readonly seed: number;
  readonly hasSchedule: boolean;
  /** Whether commands of the task wait for releases, too. */
  readonly holdsFollowers: boolean;
  readonly usesSmallDisk: boolean;
  readonly steps: readonly SequenceStep[];
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const CLOCKS = [0, 0, 3 * SECOND, -3 * SECOND, 90 * SECOND, -90 * SECOND, 2 * HOUR, -2 * HOUR];

export function sequenceOf(seed: number): Sequence {
  const random = seeded(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const chance = (share: number): boolean => random() < share;
  const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  let count = 0;

  function burst(): Burst {
    const hook = oneOf(HOOKS);
    const isHeld = chance(0.7);
    const size = chance(0.5) ? 3 + below(8) : 1 + below(2);
    const request = (): PlannedRequest => {
      count += 1;
      const fails = chance(0.4) ? 1 + below(3) : 0;
      return { number: count, key: oneOf(["a", "b", "c"]), fails, isHeld };
    };
    const requests = Array.from({ length: size }, request);
    return { do: "send", hook, together: chance(0.4), requests };
  }

  function stop(): StopStep {
    return {
      ...{ do: "stop", how: chance(killShare) ? "KILL" : "TERM", release: chance(0.3) },
      ...(chance(0.3) && { during: burst() }),
      // A command that was resumed begins a moment after the start.
      after: chance(0.5) ? below(12) : 50 + below(150),
      ...(chance(0.1) && { again: below(600) }),
    };
  }

  function other(): SequenceStep {
    const kind = below(20);
    if (kind < 12) return burst();
    if (kind < 15) return { do: "release" };
    if (kind < 16) return { do: "edit" };
    if (kind < 17) return { do: "hup" };
    if (kind < 18) return { do: "moment", milliseconds: below(80) };
    if (hasSchedule) return { do: "clock", to: oneOf(CLOCKS) };
    if (!usesSmallDisk) return burst();
    isFull = !isFull;
    return { do: isFull ? "fill" : "free" };
  }

  let isFull = false;
  const hasSchedule = chance(0.4);
  const killShare = oneOf([0.5, 0.5, 1]);
  const usesSmallDisk = !hasSchedule && chance(0.3);
  const holdsFollowers = chance(0.4);
  const stops = oneOf([1, 1, 1, 1, 1, 1, 2, 2, 3, 4]);
  const length = 6 + below(15 - stops);
  const steps: SequenceStep[] = Array.from({ length }, () => other());
  // What waits is to go through several stops, so some follow each other.
  let at = 1 + below(length);
  for (let index = 0; index < stops; index += 1) {
    steps.splice(at, 0, stop());
    at = chance(0.5) ? at + 1 : Math.min(at + 1 + below(4), steps.length);
  }
  return { seed, hasSchedule, holdsFollowers, usesSmallDisk, steps };
}

/** One line for each step. */
export const shownSteps = ({ seed, steps, ...rest }: Sequence): string =>
  [
    `REEVE_SEED=${seed} REEVE_SEQUENCES=1 ${JSON.stringify(rest)}`,
    ...steps.map((step, index) => `  ${index + 1}. ${shownStep(step)}`),
  ].join("\n");

function shownStep(step: SequenceStep): string {
  if (step.do === "send") return shownBurst(step);
  if (step.do !== "stop") return JSON.stringify(step);
  const { during, ...rest } = step;
  return `${JSON.stringify(rest)}${during ? ` during ${shownBurst(during)}` : ""}`;
}

const shownBurst = ({ hook, together, requests }: Burst): string =>
  `send ${together ? "together " : ""}to ${hook}: ${requests
    .map(
      ({ number, key, fails, isHeld }) =>
        `${number}${key}${isHeld ? " held" : ""}${fails > 0 ? ` fails ${fails}` : ""}`,
    )
    .join(", ")}`;
