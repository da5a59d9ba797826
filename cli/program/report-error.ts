/** What is said when a command cannot go on: one sentence, what to do, and the exit code. */
import { inspect } from "node:util";
import { errorMessage, ReeveError } from "../../daemon/errors.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { oneLine } from "../print/text.js";
import { UsageError } from "./usage-error.js";

/** Tells a person about anything that was thrown. */
export function reportError(thrown: unknown, { err }: Output): ExitCode {
  const { exit, message, help } = reportFor(thrown);
  if (message !== undefined) {
    err.line(`${err.paint(["bold", "fail"], "reeve:")} ${oneLine(message)}`);
    if (help !== undefined) err.line(oneLine(help));
    if (process.env.REEVE_DEBUG) err.line(inspect(thrown));
  }
  return exit;
}

interface ErrorReport {
  readonly exit: ExitCode;
  readonly message?: string;
  readonly help?: string | undefined;
}

function reportFor(thrown: unknown): ErrorReport {
  if (thrown instanceof UsageError) return usageReport(thrown);
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof ReeveError) {
    return { exit: exitOf(thrown.code), message: thrown.message, help: thrown.help };
  }
  if ((thrown as NodeJS.ErrnoException | undefined)?.syscall === "uv_cwd") {
    return { exit: Exit.noInput, message: "the working directory is not there any more" };
  }
  return {
    exit: Exit.internal,
    message: `this should not have happened: ${errorMessage(thrown)}`,
    help: process.env.REEVE_DEBUG
      ? undefined
      : "Set REEVE_DEBUG=1 to see more, and please report it.",
  };
}

/** Codes of the daemon whose exit code is another than "something is not there". */
function exitOf(code: string): ExitCode {
  if (code === "backup_failed") return Exit.cannotCreate;
  if (code === "restore_failed") return Exit.noInput;
  return code.startsWith("config") ? Exit.configuration : Exit.unavailable;
}

/** Commander's own words, in one line; help and version are no trouble. */
function usageReport({ code, words, message, cause: { exitCode } }: UsageError): ErrorReport {
  if (exitCode === 0) return { exit: Exit.ok };
  // A group without a command: its help has been shown.
  if (code === "commander.help") return { exit: Exit.usage };
  const [first = "", ...rest] = message.replace(/^error: /, "").split("\n");
  const similar = /^\(Did you mean (.+)\?\)$/.exec(rest.at(-1) ?? "")?.[1];
  const isVersion = words === "reeve" && first === "unknown command 'version'";
  const suggestion = isVersion ? "reeve --version" : similar;
  const said = [first, ...(similar === undefined ? rest : rest.slice(0, -1))].join(" ");
  return {
    exit: Exit.usage,
    message: said.replaceAll("'", "`").replace(/\.$/, ""),
    help: suggestion === undefined ? `See \`${words} --help\`.` : `Did you mean \`${suggestion}\`?`,
  };
}
