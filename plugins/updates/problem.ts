/** Something expected that goes wrong here, in one sentence and with a code. */
export type PipelineErrorCode =
  | "git_failed"
  | "git_refused"
  | "git_missing"
  | "no_repository"
  | "moved"
  /** By another daemon. */
  | "taken_over"
  | "conflict"
  | "host_refused"
  | "host_unreachable"
  | "host_limited"
  | "manifest_broken"
  | "manifest_missing"
  | "name_taken"
  | "name_unfit";

export class PipelineError extends Error {
  override readonly name = "Trouble";
  readonly code: PipelineErrorCode;
  /** Milliseconds after which trying again makes sense; absent where it makes none. */
  readonly retryAfter: number | undefined;

  constructor(code: PipelineErrorCode, message: string, options: PipelineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

interface PipelineErrorOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
}

/** One sentence about anything that was thrown. */
export const sentence = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message || thrown.name : String(thrown);

/** The database that daemons share cannot be reached; the daemon tells of that itself, once. */
export const isStoreAway = (thrown: unknown): boolean =>
  (thrown as { code?: unknown }).code === "store_away";
