/** How a command ends: the codes of sysexits(3) where there is one for it. */
export const Exit = {
  ok: 0,
  /** It worked, and found something: a failing test, a file that is not formatted. */
  findings: 1,
  /** The command was written wrongly. */
  usage: 64,
  /** Something that was named, mostly a file, is not there or cannot be read. */
  noInput: 66,
  /** The daemon is not running, or something else that is needed is not there. */
  unavailable: 69,
  /** A fault of Reeve itself. */
  internal: 70,
  /** A file cannot be written. */
  cannotCreate: 73,
  /** The configuration is invalid. */
  configuration: 78,
} as const;

export type ExitCode = (typeof Exit)[keyof typeof Exit];

/** What the codes mean, for help and the reference page. */
export const exitMeanings: Readonly<Record<ExitCode, string>> = {
  0: "it worked",
  1: "it worked and found something: a failing test, a file that is not formatted",
  64: "the command was written wrongly",
  66: "something that was named, mostly a file, is not there or cannot be read",
  69: "the daemon is not running, or something else that is needed is not there",
  70: "a fault of Reeve itself",
  73: "a file cannot be written",
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
