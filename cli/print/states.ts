/** What a state looks like: one sign and one role for every word, on all screens. */
import type { Role } from "../plugin-api/roles.js";

export interface StateLook {
  /** One cell, found without colours. */
  readonly sign: string;
  readonly role: Role;
}

const looks: ReadonlyArray<readonly [sign: string, role: Role, words: string]> = [
  ["✓", "ok", "succeeded healthy ok good committed merged allowed"],
  ["●", "running", "running"],
  ["○", "queued", "queued waiting waits pending scheduled"],
  ["✗", "fail", "failed quarantined fail error broken"],
  ["◷", "warn", "timed_out"],
  ["⊘", "denied", "denied rejected"],
  ["–", "dim", "cancelled skipped superseded"],
  [
    "▲",
    "warn",
    "degraded probation backoff warn warning starting preparing draining stopping rolled_back interrupted",
  ],
  ["‖", "warn", "paused"],
  ["◆", "accent", "changed"],
];
const LOOKS: ReadonlyMap<string, StateLook> = new Map(
  looks.flatMap(([sign, role, words]) =>
    words.split(" ").map((word): [string, StateLook] => [word, { sign, role }]),
  ),
);
const OTHER: StateLook = { sign: "○", role: "dim" };

export const stateLook = (state: string): StateLook => LOOKS.get(state) ?? OTHER;
