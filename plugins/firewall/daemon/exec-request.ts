/** A command to run in a sandbox, and its result. */
export interface ExecRequest {
  /** Program and arguments; with `shell`, one word is a shell line. */
  readonly argv: readonly string[];
  readonly shell?: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd?: string | undefined;
  /** Milliseconds. The sandbox's own limit applies as well. */
  readonly timeout?: number | undefined;
  /** The caller: `hook.deploy 06fa…`. */
  readonly label: string;
  /** Merge stderr into stdout, in order. */
  readonly merged: boolean;
  readonly terminal?: boolean;
}

export interface ExecResult {
  readonly outcome: "exited" | "killed" | "timed_out" | "cancelled" | "not_started";
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** Why the command did not start, in one sentence. */
  readonly error: string | undefined;
  /** Milliseconds from request to end. */
  readonly duration: number;
}
