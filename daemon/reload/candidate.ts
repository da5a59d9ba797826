/** What may run and what runs. Types only. */
import type { Loaded, Program } from "../config/program.js";
import type { PreparedGeneration } from "../host/contract.js";
import type { Generation, Trigger } from "./contract.js";
import type { Code } from "./load-with.js";
import type { Snapshot } from "./snapshot.js";

/** A configuration that is to run. */
export interface Candidate {
  readonly loaded: Loaded;
  readonly code: Code;
  readonly snapshot: Snapshot;
  /** What identifies its texts where they come to no program. */
  readonly hash: string;
  readonly trigger: Trigger;
  /** When the attempt began, in milliseconds since the epoch. */
  readonly began: number;
  /** Why it is not what is on disk, in one sentence. Absent when it is. */
  readonly instead?: string;
}

/** What runs. */
export interface Running {
  generation: Generation;
  program: Program;
  code: Code;
  snapshot: Snapshot;
  readonly prepared: PreparedGeneration;
  isReleased: boolean;
  /** Ran before and can come back; nothing once probation is over. */
  previous: Running | undefined;
  readonly probation: AbortController;
}
