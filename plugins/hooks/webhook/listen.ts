/** Opens the listener: an address, a unix socket, or a socket from the service manager. */
import { rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo, ListenOptions } from "node:net";
import type { Flags } from "./flags.js";
import { StartupError } from "./host.js";

export interface Listening {
  /** `0.0.0.0:9000`, `{unix:/run/webhook.sock}`. */
  readonly shown: string;
  cleanUp(): void;
}

export async function listen(server: Server, flags: Flags): Promise<Listening> {
  const where = listenOptions(flags);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(refusal(error, flags)));
    server.listen(where, resolve);
  });
  dropPrivileges(flags);
  const address = server.address();
  if (typeof address === "string") {
    const own = flags.socket !== "" && where.path !== undefined;
    return { shown: `{unix:${address}}`, cleanUp: () => own && rmSync(address, { force: true }) };
  }
  const { address: ip, port, family } = address as AddressInfo;
  return { shown: `${family === "IPv6" ? `[${ip}]` : ip}:${port}`, cleanUp: () => undefined };
}

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
