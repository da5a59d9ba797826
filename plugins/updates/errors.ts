/** What can go wrong with an update and people can do something about. */

export type UpdatesErrorCode =
  | "manifest_unreadable"
  | "package_unknown"
  | "registry_refused"
  | "registry_garbled"
  | "lookup_failed"
  /** The version cannot be had with everything else; an older one may. */
  | "does_not_resolve"
  | "lock_failed"
  | "tool_missing"
  | "tool_failed";

export class UpdatesError extends Error {
  override readonly name = "UpdatesError";
  readonly code: UpdatesErrorCode;
  /** Milliseconds after which to try again; undefined where that changes nothing. */
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
