import type { Secret } from "./values.js";

/** Commands, always in a process group of their own that is gone when `run` resolves. */
export interface Processes {
  run(request: ProcessRequest): Promise<ProcessResult>;
}
export interface ProcessRequest {
  /** Program and arguments; never a shell. The program is looked up in `PATH` of `env` when it has no slash. */
  readonly argv: readonly string[];
  /** @default the configuration's directory */
  readonly cwd?: string;
  /** Variables of the command; they replace inherited ones. Secrets are revealed only here. */
  readonly env?: Readonly<Record<string, string | Secret>>;
  /** Whether it inherits PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TZ and TMPDIR of the daemon. @default true */
  readonly inheritEnv?: boolean;
  /** Other variables of the daemon that it inherits: `NAME`, `PREFIX_*`, or `*` for all. Never one with a known secret. @default [] */
  readonly envFrom?: readonly string[];
  /** @default nothing: /dev/null */
  readonly stdin?: string | Uint8Array | Secret;
  /** Milliseconds until TERM. @default no limit */
  readonly timeout?: number;
  /** Milliseconds between TERM and KILL. @default 5000 */
  readonly grace?: number;
  /** Bytes kept of stdout and stderr together. More is counted and dropped from the middle. @default 64 KiB */
  readonly outputLimit?: number;
  /** `merged` keeps the true order of both streams; `separate` tells them apart. @default "merged" */
  readonly output?: "merged" | "separate";
  /** Replace known secrets in the output; other bytes stay as they are. @default false */
  readonly maskOutput?: boolean;
  onOutput?(stream: "stdout" | "stderr", data: Uint8Array): void;
  readonly signal?: AbortSignal;
}
export interface ProcessResult {
  readonly outcome: "exited" | "killed" | "timed_out" | "cancelled" | "not_started";
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Why it could not start, in one sentence. */
  readonly error: string | undefined;
  readonly stdout: Uint8Array;
  /** Empty when output is merged. */
  readonly stderr: Uint8Array;
  /** Bytes that were not kept. */
  readonly omitted: number;
  /** Milliseconds from request to end. */
  readonly duration: number;
}
