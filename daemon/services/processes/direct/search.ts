/** Which file a program's name means: as `execvp` finds it, but in the `PATH` of the command, not of the daemon. */
import { statSync } from "node:fs";
import { resolve } from "node:path";

/** What the C library takes where there is no `PATH`. */
const defaultPath = "/bin:/usr/bin";

/** The files to be tried, in their order; relative ones are meant from `cwd`. */
export function filesFor(program: string, cwd: string, path = defaultPath): readonly string[] {
  if (program.includes("/")) return [program];
  return path
    .split(":")
    .map((directory) => `${directory || "."}/${program}`)
    .filter((file) => isFile(resolve(cwd, file)));
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
