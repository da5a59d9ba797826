/**
 * Something expected went wrong and a person can do something about it. Everything else that is thrown is a bug.
 * The message may have several lines: the first says what, the others what to do.
 */
export class FirewallError extends Error {
  override readonly name = "FirewallError";
  /** Stable, snake case: `invalid_domain`. */
  readonly code: string;

  constructor(code: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** The operating system's code of what was thrown, `ENOENT`; undefined where it has none. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
