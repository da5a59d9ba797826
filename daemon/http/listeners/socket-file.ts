/**
 * Files of unix sockets. A socket is made under a passing name, given its mode and then renamed over its own: there is
 * no moment in which it exists with wider rights, and no moment in which a path that worked does not.
 */
import { lstat, rename, rm, stat } from "node:fs/promises";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import { errorMessage, ReeveError } from "../../errors.js";

let made = 0;

/** A short name beside `path`, used once. */
export function temporarySocketPath(path: string): string {
  made += 1;
  return join(dirname(path), `.${process.pid.toString(36)}-${made.toString(36)}`);
}

/** Renames a socket to its final path. Returns a function that removes the file, unless it has been replaced. */
export async function publishSocket(passing: string, path: string): Promise<() => Promise<void>> {
  const { ino, dev } = await lstat(passing);
  await rename(passing, path);
  return async () => {
    const now = await lstat(path).catch(() => undefined);
    if (now?.ino === ino && now.dev === dev) await rm(path, { force: true });
  };
}

/**
 * Makes sure that a socket may take `path`: nothing is there, or only what a dead process left.
 * @throws ReeveError `address_in_use` when something else is there
 */
export async function ensureFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) {
    // Node reports a missing directory as one that may not be written to.
    await stat(dirname(path));
    return;
  }
  if (!found.isSocket()) {
    throw new ReeveError("address_in_use", `\`${path}\` exists and is not a socket.`, {
      help: "Choose another path, or move the file away.",
    });
  }
  if (await answers(path)) throw new SocketAnswers(path);
}

/** Whether a process accepts connections there. */
export class SocketAnswers extends ReeveError {
  constructor(path: string) {
    super("address_in_use", `Another process listens on \`${path}\`.`);
  }
}

/** Whether a process accepts connections on the socket; one that may not be asked counts as alive. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const finish = (alive: boolean): void => {
      socket.destroy();
      resolve(alive);
    };
    socket.once("connect", () => finish(true));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      finish(!["ECONNREFUSED", "ENOENT"].includes(error.code ?? ""));
    });
  });
}

/** Sentence about a file system refusal on the way to a socket. */
export function socketFileRefusal(path: string, thrown: unknown): ReeveError {
  const code = (thrown as NodeJS.ErrnoException).code;
  if (code === "ENOENT") {
    return new ReeveError(
      "cannot_listen",
      `Cannot make the socket \`${path}\`: the directory \`${dirname(path)}\` does not exist.`,
      { help: "Make the directory first.", cause: thrown },
    );
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new ReeveError(
      "cannot_listen",
      `Cannot make the socket \`${path}\`: this user may not write to \`${dirname(path)}\`.`,
      { help: "Choose a directory that belongs to the daemon's user.", cause: thrown },
    );
  }
  return new ReeveError("cannot_listen", `Cannot listen on \`${path}\`: ${errorMessage(thrown)}.`, {
    cause: thrown,
  });
}
