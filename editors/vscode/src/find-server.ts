/** Finds the `reeve` program that serves a workspace. */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";

export interface ServerSearch {
  /** The setting `reeve.server.path`; empty if it is not set. */
  readonly configured: string;
  /** The workspace's folders, the first one first. */
  readonly folders: readonly string[];
  /** Whether programs of the workspace may run. */
  readonly isTrusted: boolean;
  /** The variable `PATH`. */
  readonly path: string;
}

/** The program's path; `undefined` if there is none. */
export function findServer({
  configured,
  folders,
  isTrusted,
  path,
}: ServerSearch): string | undefined {
  if (configured !== "" && isTrusted) {
    const expanded = configured.replace(/^~(?=\/|$)/, homedir());
    const program = resolve(folders[0] ?? "/", expanded);
    return isProgram(program) ? program : undefined;
  }
  const own = isTrusted ? folders.map((folder) => join(folder, "node_modules/.bin/reeve")) : [];
  const installed = path
    .split(delimiter)
    // A relative entry would lead into the workspace.
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, "reeve"));
  return [...own, ...installed].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
