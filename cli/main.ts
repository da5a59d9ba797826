/** From the words of a command line to an exit code. */
import { closeAll } from "./at-end.js";
import type { Command } from "./command.js";
import { commands } from "./commands.js";
import { Exit, type ExitCode } from "./exit.js";
import { createOutput, type Output } from "./output.js";
import { parserFor } from "./program/parser.js";
import { reportTrouble } from "./program/trouble.js";
import { wordsFor } from "./program/words.js";
import { version } from "./version.js";

/** Runs the command line of this process. Its exit code is set; what is still being written may go on. */
export async function start(): Promise<void> {
  const output = createOutput(process.stdout, process.stderr, process.env);
  const unread = new AbortController();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      unread.abort();
    });
  }
  process.exitCode = await main(process.argv.slice(2), output, unread.signal);
}

/** Runs one command line. Never rejects: trouble is told on `output.err`. */
export async function main(
  args: readonly string[],
  output: Output,
  signal: AbortSignal,
): Promise<ExitCode> {
  const words = wordsFor(args, commands);
  let code: ExitCode = Exit.ok;
  const run = async (
    command: Command,
    call: Pick<Parameters<Command["run"]>[0], "arguments" | "options">,
  ) => {
    code = await command.run({ ...call, output, commands, signal });
    return code;
  };
  try {
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
    return reportTrouble(thrown, output);
  } finally {
    await closeAll();
  }
}
