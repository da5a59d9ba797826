/**
 * The one error class of the host: something expected went wrong and a person can do something about it.
 * Everything else that is thrown is a bug.
 */
export interface ReeveErrorOptions {
  /** What to do next, in one sentence. */
  readonly help?: string;
  readonly cause?: unknown;
}

export class ReeveError extends Error {
  override readonly name = "ReeveError";
  /** From a catalogue (`daemon/codes.ts` or a plugin's), stable, snake case: `address_in_use`. */
  readonly code: string;
  readonly help: string | undefined;

  constructor(code: string, message: string, options: ReeveErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.help = options.help;
  }
}

/** One sentence about anything that was thrown, without a stack. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return String(thrown);
}
