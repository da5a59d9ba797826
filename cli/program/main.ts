/** From the words of a command line to an exit code. */
import { commandsFor } from "../commands/index.js";
import type { Control } from "../control/client.js";
import type { Call, Command, CommandEntry } from "../plugin-api/command.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import { createOutput, type Output } from "../plugin-api/output.js";
import { reasonOf } from "../project/files.js";
import { closeAll } from "./cleanup.js";
import { isGroup, parserFor, type Runner } from "./parser.js";
import { reportError } from "./report-error.js";
import { version } from "./version.js";

/** Runs the command line of this process. Its exit code is set; what is still being written may go on. */
export async function start(): Promise<void> {
  const output = createOutput(process.stdout, process.stderr, process.env);
  const unread = new AbortController();
  let lost: ExitCode | undefined;
  process.stderr.on("error", () => unread.abort());
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    unread.abort();
    // A reader that has seen enough is no trouble.
    if (error.code === "EPIPE" || lost !== undefined) return;
    const failure = `the output cannot be written: ${reasonOf(error)}`;
    lost = reportError(new Failure(Exit.cannotCreate, failure), output);
    process.exitCode = lost;
  });
  process.on("uncaughtException", (thrown) => {
    // The daemon looks after its own.
    if (process.listenerCount("uncaughtException") === 1) process.exit(reportError(thrown, output));
  });
  const code = await main(process.argv.slice(2), output, unread.signal);
  process.exitCode = lost ?? code;
}

/** Runs one command line. Never rejects: errors are printed on `output.err`. */
export async function main(
  args: readonly string[],
  output: Output,
  signal: AbortSignal,
): Promise<ExitCode> {
  let code: ExitCode = Exit.ok;
  try {
    const commands = await commandsFor(args);
    const words = wordsFor(args, commands);
    const run: Runner = async (command, call, plugin) => {
      const control = await controlFor(command, call.options, plugin);
      code = await command.run({ ...call, control, output, commands, signal });
      return code;
    };
    const program = await parserFor(words, {
      name: "reeve",
      description: "Tends a host: hooks, a network fence for commands, updates and live settings.",
      version: version(),
      entries: commands,
      output,
      run,
    });
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (thrown) {
    return reportError(thrown, output);
  } finally {
    await closeAll();
  }
}

/** Loaded only for a command with `--control`; others never look at theirs. */
async function controlFor(
  { options = {} }: Command,
  { control }: Call["options"],
  plugin: string | undefined,
): Promise<Control> {
  if (!("control" in options)) return undefined as unknown as Control;
  const { connect } = await import("../control/client.js");
  const daemon = connect({ control: control as string | undefined });
  return plugin === undefined ? daemon : daemon.forPlugin(plugin);
}

/**
 * The arguments for the parser: `reeve help fmt` becomes `reeve fmt --help`, and no arguments become `--help`. For an unknown
 * command the help flag is removed, so that the parser reports the name.
 */
function wordsFor(args: readonly string[], entries: readonly CommandEntry[]): readonly string[] {
  const [first, ...rest] = args;
  if (first === undefined || first === "--") return ["--help"];
  if (first === "help") return isKnown(rest, entries) ? [...rest, "--help"] : rest;
  return isKnown(args, entries) ? args : args.filter((word) => word !== "--help" && word !== "-h");
}

/** Whether the words before the first option are empty or name a command. */
function isKnown([first, ...rest]: readonly string[], entries: readonly CommandEntry[]): boolean {
  if (first === undefined || first.startsWith("-")) return true;
  const entry = entries.find(({ name }) => name === first);
  return entry !== undefined && (!isGroup(entry) || isKnown(rest, entry.entries));
}
