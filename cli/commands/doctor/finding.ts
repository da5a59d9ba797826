/** What a look at one thing found. */
export interface HostFinding {
  /** Stable, snake case: `open_files`. */
  readonly id: string;
  /** `warn`: it works, but not everything or not for long. */
  readonly state: "ok" | "warn" | "fail";
  /** What was found, in one sentence without a full stop. */
  readonly says: string;
  /** What to do about it. Absent where it is well. */
  readonly todo?: string;
}

export const ok = (id: string, says: string): HostFinding => ({ id, state: "ok", says });
export const warn = (id: string, says: string, todo: string): HostFinding => ({
  id,
  state: "warn",
  says,
  todo,
});
export const fail = (id: string, says: string, todo: string): HostFinding => ({
  id,
  state: "fail",
  says,
  todo,
});
