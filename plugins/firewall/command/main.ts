/** `awf`: dispatches to its commands and loads only what the command needs, because start-up time counts. */
import { beginRun } from "./enter.js";
import type { LogPages } from "./logs.js";
import type { SandboxFiles } from "./settings.js";

/** Runs awf with the arguments after its name; `files` are those of `--config`, `pages` writes reports. Resolves with the exit code. */
export async function main(
  argv: readonly string[],
  version: string,
  files: SandboxFiles,
  pages: LogPages,
): Promise<number> {
  if (argv[0] === "logs") return (await import("./logs.js")).logsCommand(argv.slice(1), pages);
  if (argv[0] === "suggest") return (await import("./suggest.js")).suggest(argv.slice(1), files);
  if (argv[0] === "ask") return (await import("./ask.js")).askCommand(argv.slice(1));
  if (argv[0] === "profile") return (await import("./profile.js")).profileCommand(argv.slice(1));
  if (argv[0] === "recover") return (await import("./recover.js")).recoverCommand(argv.slice(1));
  if (argv[0] === "doctor") return (await import("./doctor.js")).doctor(argv.slice(1));
  const started = beginRun(argv);
  try {
    const { runCommand } = await import("./run-command.js");
    return await runCommand(argv, version, started, files);
  } finally {
    await started?.abandon();
  }
}
