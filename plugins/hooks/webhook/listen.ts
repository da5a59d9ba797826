/** Opens the listener: an address, a unix socket, or a socket from the service manager. */
import { linkSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo, ListenOptions } from "node:net";
import { dirname, join } from "node:path";
import type { Flags } from "./flags.js";
import { StartupError } from "./host.js";

export interface Listening {
  /** `0.0.0.0:9000`, `{unix:/run/webhook.sock}`. */
  readonly shown: string;
  cleanUp(): void;
}

export async function listen(server: Server, flags: Flags): Promise<Listening> {
  const where = listenOptions(flags);
  const refuse = (thrown: NodeJS.ErrnoException): never => {
    throw refusal(thrown, flags);
  };
  // `-setuid` is refused with it.
  if (where.path !== undefined) return listenOnSocket(server, where.path).catch(refuse);
  await bind(server, where).catch(refuse);
  dropPrivileges(flags);
  const address = server.address();
  if (typeof address === "string") {
    return { shown: `{unix:${address}}`, cleanUp: () => undefined };
  }
  const { address: ip, port, family } = address as AddressInfo;
  return { shown: `${family === "IPv6" ? `[${ip}]` : ip}:${port}`, cleanUp: () => undefined };
}

/** A socket that exists accepts connections: it gets its name after that. */
async function listenOnSocket(server: Server, path: string): Promise<Listening> {
  const passing = join(dirname(path), `.${process.pid.toString(36)}`);
  await bind(server, { path: passing });
  const own = inodeOf(passing);
  try {
    // Unlike a renaming this replaces no file.
    linkSync(passing, path);
  } catch (thrown) {
    server.close();
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    throw Object.assign(new Error("the file exists"), { code: "EADDRINUSE" });
  }
  rmSync(passing);
  const cleanUp = (): void => {
    // Another process may have put its own there.
    if (inodeOf(path) === own) rmSync(path, { force: true });
  };
  return { shown: `{unix:${path}}`, cleanUp };
}

/** `undefined` if there is no such file. */
const inodeOf = (path: string): number | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.ino;

const bind = (server: Server, where: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });

/** The first file descriptor that a service manager passes. */
const FIRST_PASSED = 3;

function listenOptions({ ip, port, socket }: Flags): ListenOptions & { readonly fd?: number } {
  const { LISTEN_PID, LISTEN_FDS } = process.env;
  if (LISTEN_PID === String(process.pid) && Number(LISTEN_FDS) > 0) {
    if (Number(LISTEN_FDS) === 1) return { fd: FIRST_PASSED };
    throw new StartupError("The service manager passes several sockets; pass one.");
  }
  if (socket !== "") return { path: socket };
  if (port > 65_535) throw new StartupError(`${port} is no port; use one up to 65535.`);
  return { host: ip, port };
}

function refusal(error: NodeJS.ErrnoException, { ip, port, socket }: Flags): StartupError {
  const where = socket === "" ? `${ip}:${port}` : socket;
  if (error.code === "EADDRINUSE") {
    return new StartupError(
      `error listening on ${where}: the address is in use; stop its user or choose another one.`,
    );
  }
  if (error.code === "EACCES") {
    return new StartupError(
      `error listening on ${where}: this user may not; choose a higher port or another place.`,
    );
  }
  return new StartupError(`error listening on ${where}: ${error.message}.`);
}

/** Groups first: only root may change them. */
function dropPrivileges({ setuid, setgid }: Flags): void {
  if (setuid === 0) return;
  try {
    process.setgroups?.([setgid]);
    process.setgid?.(setgid);
    process.setuid?.(setuid);
  } catch (thrown) {
    throw new StartupError(
      `The user ${setuid} and group ${setgid} cannot be taken on: ${(thrown as Error).message}.`,
    );
  }
}
