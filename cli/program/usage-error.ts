import type { CommanderError } from "commander";

/** Words that a command does not understand, or a wish for help, which ends a command too. */
export class UsageError extends Error {
  override readonly cause: CommanderError;
  readonly code: string;
  /** The command, from the program on: `reeve updates accounts`. */
  readonly words: string;

  constructor(cause: CommanderError, words: string) {
    super(cause.message);
    this.cause = cause;
    this.code = cause.code;
    this.words = words;
  }
}
