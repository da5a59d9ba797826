/** What somebody wants to have run in a sandbox, and how it ended. */
export interface ExecRequest {
  /** Program and arguments; a shell where it is one word and `shell` says so. */
  readonly argv: readonly string[];
  readonly shell?: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd?: string | undefined;
  /** Milliseconds until it is ended. The sandbox's own limit holds, too. */
  readonly timeout?: number | undefined;
  /** For whom: `hook.deploy 06fa…`. */
  readonly label: string;
  /** Both outputs are one, in their true order. */
  readonly merged: boolean;
  readonly terminal?: boolean;
}

export interface ExecResult {
  readonly outcome: "exited" | "killed" | "timed_out" | "cancelled" | "not_started";
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** Why it could not start, in one sentence. */
  readonly error: string | undefined;
  /** Milliseconds from the order to the end. */
  readonly duration: number;
}
