/** Finds a command's program as Go's `exec.LookPath` does, and words failures as Go does. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { goQuoted } from "../compat/go-text.js";

export type FoundProgram = { readonly path: string } | { readonly problem: string };

/** Names without a slash are searched in PATH. */
export function findProgram(name: string): FoundProgram {
  if (name.includes("/")) {
    const fault = faultOf(name);
    return fault === undefined ? { path: name } : { problem: `exec: ${goQuoted(name)}: ${fault}` };
  }
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => isAbsolute(file) && faultOf(file) === undefined);
  return path === undefined
    ? { problem: `exec: ${goQuoted(name)}: executable file not found in $PATH` }
    : { path };
}

function faultOf(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return ERRORS.EACCES;
  } catch (thrown) {
    return `stat ${file}: ${errorText(thrown)}`;
  }
  try {
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (thrown) {
    return errorText(thrown);
  }
}

function errorText(thrown: unknown): string {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  return ERRORS[code] ?? message;
}

const ERRORS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
};

/** `SIGKILL` is `killed`. */
export const signalText = (signal: string): string => SIGNALS[signal] ?? signal;

const SIGNALS: Readonly<Record<string, string>> = {
  ...{ SIGABRT: "aborted", SIGALRM: "alarm clock", SIGBUS: "bus error" },
  ...{ SIGFPE: "floating point exception", SIGHUP: "hangup", SIGILL: "illegal instruction" },
  ...{ SIGINT: "interrupt", SIGKILL: "killed", SIGPIPE: "broken pipe", SIGQUIT: "quit" },
  ...{ SIGSEGV: "segmentation fault", SIGTERM: "terminated", SIGTRAP: "trace/breakpoint trap" },
  ...{ SIGUSR1: "user defined signal 1", SIGUSR2: "user defined signal 2" },
};
