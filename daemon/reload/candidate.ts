/** What may run and what runs. Types only. */
import type { Loaded, Program } from "../config/program.js";
import type { PreparedGeneration } from "../host/contract.js";
import type { Generation, Trigger } from "./contract.js";
import type { PluginCode } from "./load-with-code.js";
import type { Snapshot } from "./snapshot.js";

/** A configuration that is to run. */
export interface Candidate {
  readonly loaded: Loaded;
  readonly code: PluginCode;
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
export interface ActiveGeneration {
  generation: Generation;
  program: Program;
  code: PluginCode;
  snapshot: Snapshot;
  readonly prepared: PreparedGeneration;
  isReleased: boolean;
  /** Ran before and can come back; nothing once probation is over. */
  previous: ActiveGeneration | undefined;
  readonly probation: AbortController;
}
