/**
 * The files that awf's caller opened as its input and outputs. A command could open them again by `/proc/self/fd`: read
 * or truncate what a file had before, and read what the user types at a terminal. So it gets pipes, and `cat` copies.
 */
import { fstatSync, type Stats } from "node:fs";
import { isatty as isTerminal } from "node:tty";

/** `shared`: the command gets it as it is. */
type Kind = "shared" | "terminal" | "file";

export interface StandardFiles {
  readonly input: Kind;
  readonly output: Kind;
  readonly errors: Kind;
  /** Both outputs are one file, in which their order counts. */
  readonly together: boolean;
}

/** @param stdio of a process that this one starts */
export function standardFiles(stdio: readonly unknown[]): StandardFiles {
  const [input, output, errors] = [0, 1, 2].map((descriptor) =>
    stdio[descriptor] === "inherit" ? fstatSync(descriptor) : undefined,
  );
  // A terminal that is the input as well has nothing more to read.
  const isInput = (file: Stats | undefined) =>
    kindOf(input, 0) === "terminal" && file?.ino === input?.ino && file?.dev === input?.dev;
  return {
    input: kindOf(input, 0),
    output: isInput(output) ? "shared" : kindOf(output, 1),
    errors: isInput(errors) ? "shared" : kindOf(errors, 2),
    together: output !== undefined && output.dev === errors?.dev && output.ino === errors.ino,
  };
}

/** `/dev/null`, as the kernel numbers devices. */
const nullDevice = 0x103;

function kindOf(file: Stats | undefined, descriptor: number): Kind {
  if (!file || file.isFIFO() || file.isSocket()) return "shared";
  if (!file.isCharacterDevice()) return "file";
  if (isTerminal(descriptor)) return "terminal";
  return file.rdev === nullDevice ? "shared" : "file";
}

interface Copied {
  readonly input: boolean;
  readonly output: boolean;
  readonly errors: boolean;
}

/** @param terminal the command is to have the caller's terminal */
function copied({ input, output, errors }: StandardFiles, terminal: boolean): Copied {
  const isCopied = (kind: Kind) => kind === "file" || (kind === "terminal" && !terminal);
  return { input: input === "file", output: isCopied(output), errors: isCopied(errors) };
}

/** How many processes copy, at most. */
export function copyingProcesses(files: StandardFiles): number {
  const { input, output, errors } = copied(files, false);
  // For outputs a shell as well, and one more for two of them.
  const outputs = [output || errors, output, errors, output && errors].filter(Boolean).length;
  return outputs + (input ? 1 : 0);
}

/**
 * A shell script that ends in the command `start`, which leaves out `exec`. It runs outside of the command's process
 * namespace, and as the command's user: the pipes are that user's to open again by name.
 *
 * To copy outputs the shell stays the first process of the outer namespace. When bubblewrap has ended, all that is inside
 * has, so `cat` sees the end of the pipe. The shell waits for it, and its exit code is that of `start`, or 1 if only
 * copying failed.
 */
export function copyingScript(files: StandardFiles, terminal: boolean, start: string): string {
  const { input, output, errors } = copied(files, terminal);
  const lines = [
    // Keys like Ctrl-C must end neither the copies nor bubblewrap, which is not the first process here.
    `trap '' ${signals}`,
    ...(input ? ["exec < <(exec cat)"] : []),
  ];
  if (!output && !errors) {
    if (!input) return `exec ${start}`;
    return inBash([...lines, `trap - ${signals}`, `exec ${start}`]);
  }
  // `script` needs the terminal that is its input.
  const session = terminal && files.input === "terminal" ? "" : "setsid ";
  return inBash([
    ...lines,
    `start() { trap - ${signals}; exec ${session}${start}; }`,
    "ended() { exit $(( $1 ? $1 : $2 ? 1 : 0 )); }",
    linesFor({ output, errors, together: files.together }),
  ]);
}

const signals = "HUP INT QUIT TERM";
const ended = `ended "\${PIPESTATUS[@]}"`;

function linesFor(copies: Omit<Copied, "input"> & { readonly together: boolean }): string {
  if (copies.together) return `start "$@" 2>&1 | cat; ${ended}`;
  const errors = `{ start "$@" 2>&1 >&3 3>&- | cat >&2 3>&-; ${ended}; } 3>&1`;
  if (!copies.output) return errors;
  return `${copies.errors ? errors : 'start "$@"'} | cat; ${ended}`;
}

/** With a socket as input it would take itself for a remote login, and read the user's `.bashrc`. */
function inBash(lines: readonly string[]): string {
  return `exec bash --norc -c '${lines.join("\n").replaceAll("'", `'\\''`)}' sh "$@"`;
}
