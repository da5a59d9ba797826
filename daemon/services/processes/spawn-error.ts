/** Why a command could not start, in one sentence. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { osErrorReason } from "../os-error.js";

export function spawnErrorReason(
  thrown: unknown,
  program: string,
  cwd: string,
  path: string | undefined,
): string {
  return directoryFault(cwd) ?? programFault(thrown, program, cwd, path);
}

function directoryFault(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) {
      return `The command cannot start in ${cwd}: it is not a directory.`;
    }
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (thrown) {
    return `The command cannot start in the directory ${cwd}: ${osErrorReason(thrown)}.`;
  }
}

function programFault(
  thrown: unknown,
  program: string,
  cwd: string,
  path: string | undefined,
): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (!program.includes("/") && code === "ENOENT") {
    return found(program, path)
      ? `The program "${program}" cannot be started: the interpreter its first line names is not there.`
      : `The program "${program}" is in no directory of PATH (${path ?? "which is not set"}).`;
  }
  const file = isAbsolute(program) ? program : join(cwd, program);
  if (code === "ENOENT") {
    const interpreter = interpreterOf(file);
    if (interpreter !== undefined) {
      return `The program ${program} cannot be started: its interpreter ${interpreter} is not there.`;
    }
  }
  if (code === "EACCES" && isDirectory(file)) {
    return `The program ${program} cannot be started: it is a directory.`;
  }
  const hint = code === "EACCES" ? " (is it marked executable?)" : "";
  return `The program ${program} cannot be started: ${osErrorReason(thrown)}${hint}.`;
}

const found = (program: string, path = ""): boolean =>
  path.split(delimiter).some((directory) => {
    try {
      return statSync(join(directory || ".", program)).isFile();
    } catch {
      return false;
    }
  });

const isDirectory = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** What the first line of a script names. */
function interpreterOf(file: string): string | undefined {
  try {
    const descriptor = openSync(file, "r");
    try {
      const start = Buffer.alloc(256);
      const length = readSync(descriptor, start);
      return /^#!\s*(\S+)/.exec(start.toString("utf8", 0, length))?.[1];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
