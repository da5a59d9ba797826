/**
 * An expected failure that a user can act on; any other error is a bug. The first line of the message says what is wrong,
 * further lines say what to do.
 */
export class FirewallError extends Error {
  override readonly name = "FirewallError";
  /** Stable, snake case: `invalid_domain`. */
  readonly code: string;
  /** The part of a value that the message is about, for callers that word it themselves. */
  readonly detail: string | undefined;

  constructor(code: string, message: string, detail?: string) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** The operating system's error code, such as `ENOENT`. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
