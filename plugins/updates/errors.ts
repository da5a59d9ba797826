/** Expected failures of the plugin: each has a code, and a message for users. */

export type UpdatesErrorCode =
  // Package managers and registries.
  | "manifest_unreadable"
  | "package_unknown"
  | "registry_refused"
  | "registry_garbled"
  | "lookup_failed"
  /** The version conflicts with other requirements; an older one may not. */
  | "does_not_resolve"
  | "lock_failed"
  | "tool_missing"
  | "tool_failed"
  // Git, code hosts and the pipeline.
  | "git_failed"
  | "git_refused"
  | "git_missing"
  | "no_repository"
  /** A ref is not where it was. */
  | "moved"
  /** Another daemon works on the repository. */
  | "taken_over"
  | "conflict"
  | "host_refused"
  | "host_unreachable"
  | "host_limited"
  | "manifest_broken"
  | "manifest_missing"
  | "name_taken"
  | "name_unfit";

export class UpdatesError extends Error {
  override readonly name = "UpdatesError";
  readonly code: UpdatesErrorCode;
  /** Milliseconds until a retry may succeed; `undefined` if a retry cannot help. */
  readonly retryAfter: number | undefined;

  constructor(
    code: UpdatesErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

export const errorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message || thrown.name : String(thrown);

/** The daemons' shared database is unreachable; the daemon itself logs that once. */
export const isStoreAway = (thrown: unknown): boolean =>
  (thrown as { code?: unknown }).code === "store_away";
