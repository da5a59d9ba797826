/** Exit codes, from sysexits(3) where it has one. */
export const Exit = {
  ok: 0,
  /** Success with findings: a failing test, an unformatted file. */
  findings: 1,
  /** Invalid usage. */
  usage: 64,
  /** A named file or object is missing or unreadable. */
  noInput: 66,
  /** The daemon is not running, or a requirement is missing. */
  unavailable: 69,
  /** An internal error. */
  internal: 70,
  /** A file cannot be written. */
  cannotCreate: 73,
  /** The machine lacks something at present; another try may succeed. */
  temporary: 75,
  /** The configuration is invalid. */
  configuration: 78,
} as const;

export type ExitCode = (typeof Exit)[keyof typeof Exit];

/** What the codes mean, for help and the reference page. */
export const exitMeanings: Readonly<Record<ExitCode, string>> = {
  0: "success",
  1: "success with findings: a failing test, an unformatted file",
  64: "invalid usage",
  66: "a named file or object is missing or unreadable",
  69: "the daemon is not running, or a requirement is missing",
  70: "internal error",
  73: "a file cannot be written",
  75: "the machine lacks something at present, such as a secret or a port; try again",
  78: "the configuration is invalid",
};

/** Ends a command with one sentence for people. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exit: ExitCode;
  /** What to do next, in one sentence. */
  readonly help: string | undefined;

  constructor(
    exit: ExitCode,
    message: string,
    options: { readonly help?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exit = exit;
    this.help = options.help;
  }
}
