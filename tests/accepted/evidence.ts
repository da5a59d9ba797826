/** What is known of a sequence that was played: what was sent, where daemons stopped, what commands noted, and the records. */
import type { RunRecord } from "../../daemon/plugin-api/state.js";
import type { HookName, PlannedRequest } from "./steps.js";

/** A record as lists have it. */
export type ListedRun = Omit<RunRecord, "output" | "request">;

export interface SentRequest extends PlannedRequest {
  readonly hook: HookName;
  /** Requests with the same rank were sent at the same time; those with a higher one after the answer. */
  readonly rank: number;
  /** The index of the next stop. */
  readonly stop: number;
  /** Milliseconds from the true time. */
  readonly clock: number;
  /** `undefined` where none came. */
  status?: number;
  run?: string;
}

export interface StopEvidence {
  readonly how: "TERM" | "KILL";
  /** Whether ends of commands may lack their records: it was killed, or it said that it could not wait for its plugins. */
  isDeath: boolean;
  /** Notes of commands when the signal was sent. */
  readonly before: number;
  /** Notes of commands when the daemon had ended. */
  exit: number;
  /** Notes of commands when the next daemon served. */
  after: number;
  /** Records that had an end when the last list before the stop was read. */
  readonly ended: ReadonlyMap<string, ListedRun>;
}

/** What a command noted. */
export interface Note {
  readonly what: "begin" | "end";
  readonly run: string;
  /** Of the request; `after:RUN` in tasks, `tick:TIME` in schedules. */
  readonly number: string;
  /** Of a begin: the attempt, 0 where hooks do not know it. Of an end: the exit code. */
  readonly value: number;
  /** Its place among the notes. */
  readonly at: number;
}

export interface Evidence {
  readonly sent: readonly SentRequest[];
  readonly stops: readonly StopEvidence[];
  readonly notes: readonly Note[];
  /** By id. */
  readonly records: ReadonlyMap<string, ListedRun>;
  /** Whether the disk was full for a time. */
  readonly wasFull: boolean;
  /** What went wrong while it was played. */
  readonly faults: readonly Violation[];
}

export interface Violation {
  readonly kind: string;
  readonly text: string;
}

export const isEnded = ({ state }: ListedRun): boolean => state !== "queued" && state !== "running";

export const nameOf = ({ subject }: ListedRun): string => subject.slice(subject.indexOf(".") + 1);

export const notesIn = (journal: string): readonly Note[] =>
  journal
    .split("\n")
    .filter((line) => line !== "")
    .map((line, at) => {
      const [what, run = "", number = "", value = "0"] = line.split(" ");
      return { what: what as Note["what"], run, number, value: Number(value), at };
    });

export const notesOf = (
  { notes }: Pick<Evidence, "notes">,
  run: string,
  what: Note["what"],
): readonly Note[] => notes.filter((note) => note.run === run && note.what === what);

export const accepted = ({ sent }: Evidence): ReadonlyArray<SentRequest & { run: string }> =>
  sent.filter((each): each is SentRequest & { run: string } => each.status === 202);
