/** Binding a server to an address, and saying in one sentence why it cannot be. */
import { chmod } from "node:fs/promises";
import { createServer, type ListenOptions, type Server } from "node:net";
import {
  type Address,
  addressText,
  type TcpAddress,
  type UnixAddress,
} from "../../config/address.js";
import { errorMessage, ReeveError } from "../../errors.js";
import { holderOf } from "./proc-sockets.js";
import {
  ensureFree,
  publishSocket,
  SocketAnswers,
  socketFileRefusal,
  temporarySocketPath,
} from "./socket-file.js";

/** A server that listens. */
export interface Bound {
  /** With the real port. */
  readonly address: Address;
  /** Takes away what stays behind when the server closes. */
  readonly cleanUp: () => Promise<void>;
}

export interface BindOptions {
  /** Mode of a unix socket's file. @default 0o660 */
  readonly mode?: number;
  /** A socket of ours meets this address; both may live until the other is given up. */
  readonly besideOwn?: boolean;
  /** A socket that listens already, by its descriptor. */
  readonly descriptor?: number | undefined;
}

const nothing = async (): Promise<void> => undefined;

/** Kernel queue of connections that wait to be accepted; the system may cut it. */
const BACKLOG = 1024;

/** @throws ReeveError `address_in_use` or `cannot_listen` */
export async function bind(server: Server, address: Address, options: BindOptions): Promise<Bound> {
  if (options.descriptor !== undefined) {
    await listening(server, { fd: options.descriptor });
    return { address, cleanUp: nothing };
  }
  if (address.kind === "unix") return await bindUnix(server, address, options.mode ?? 0o660);
  return await bindTcp(server, address, options.besideOwn ?? false);
}

/**
 * All sockets may share their port with others of this process, so that `:80` can follow `127.0.0.1:80`. The kernel
 * then no longer says when another process has the port: it is asked first.
 */
async function bindTcp(server: Server, address: TcpAddress, besideOwn: boolean): Promise<Bound> {
  try {
    if (!besideOwn && address.port !== 0) await probe(address);
    const host = await listenTcp(server, address, { reusePort: true });
    const actual = server.address();
    const port = typeof actual === "object" && actual !== null ? actual.port : address.port;
    return { address: { kind: "tcp", host, port }, cleanUp: nothing };
  } catch (thrown) {
    throw await tcpRefusal(address, thrown);
  }
}

/** @throws ReeveError `address_in_use` or `cannot_listen` */
export async function canListen(address: Address): Promise<void> {
  if (address.kind === "tcp") {
    try {
      await probe(address);
    } catch (thrown) {
      throw await tcpRefusal(address, thrown);
    }
    return;
  }
  try {
    await ensureFree(address.path);
  } catch (thrown) {
    if (thrown instanceof SocketAnswers) throw await inUse(address, thrown);
    throw thrown instanceof ReeveError ? thrown : socketFileRefusal(address.path, thrown);
  }
}

async function probe(address: TcpAddress): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await listenTcp(server, address, {});
  await new Promise((resolve) => server.close(resolve));
}

/** Every address means both families where the machine has both. Returns the host that was bound. */
async function listenTcp(
  server: Server,
  { host, port }: TcpAddress,
  extra: ListenOptions,
): Promise<string> {
  const listen = (on: string): Promise<void> =>
    listening(server, { host: on, port, backlog: BACKLOG, exclusive: true, ...extra });
  if (host !== "") {
    await listen(host);
    return host;
  }
  try {
    await listen("::");
  } catch (thrown) {
    if (!["EAFNOSUPPORT", "EADDRNOTAVAIL"].includes(codeOf(thrown))) throw thrown;
    await listen("0.0.0.0");
  }
  return "";
}

async function bindUnix(server: Server, address: UnixAddress, mode: number): Promise<Bound> {
  const { path } = address;
  try {
    await ensureFree(path);
    const passing = temporarySocketPath(path);
    await listening(server, { path: passing });
    await chmod(passing, mode);
    return { address, cleanUp: await publishSocket(passing, path) };
  } catch (thrown) {
    server.close();
    if (thrown instanceof SocketAnswers) throw await inUse(address, thrown);
    throw thrown instanceof ReeveError ? thrown : socketFileRefusal(path, thrown);
  }
}

function listening(
  server: Server,
  options: ListenOptions & { readonly fd?: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      server.off("listening", succeeded);
      reject(error);
    };
    const succeeded = (): void => {
      server.off("error", failed);
      resolve();
    };
    server.once("error", failed);
    server.once("listening", succeeded);
    server.listen(options);
  });
}

/** Why the system did not give the address, for people. */
export async function tcpRefusal(address: TcpAddress, thrown: unknown): Promise<ReeveError> {
  const text = addressText(address);
  switch (codeOf(thrown)) {
    case "EADDRINUSE":
      return await inUse(address, thrown);
    case "EACCES":
      return new ReeveError(
        "cannot_listen",
        `Cannot listen on \`${text}\`: ports below 1024 need a privilege that the daemon does not have.`,
        {
          help: `Take a port from 1024 on, give the service \`AmbientCapabilities=CAP_NET_BIND_SERVICE\`, or hand it the socket with a \`.socket\` unit.`,
          cause: thrown,
        },
      );
    case "EADDRNOTAVAIL":
      return new ReeveError(
        "cannot_listen",
        `Cannot listen on \`${text}\`: this machine does not have that address.`,
        { help: "`ip address` lists the addresses it has.", cause: thrown },
      );
    case "EAFNOSUPPORT":
      return new ReeveError(
        "cannot_listen",
        `Cannot listen on \`${text}\`: IPv6 is switched off.`,
        {
          cause: thrown,
        },
      );
    default:
      return new ReeveError(
        "cannot_listen",
        `Cannot listen on \`${text}\`: ${errorMessage(thrown)}.`,
        {
          cause: thrown,
        },
      );
  }
}

async function inUse(address: Address, cause: unknown): Promise<ReeveError> {
  const holder = await holderOf(address);
  const who =
    holder === undefined ? "another process" : `\`${holder.name}\` (process ${holder.pid})`;
  const text = addressText(address);
  return new ReeveError("address_in_use", `Cannot listen on \`${text}\`: ${who} has it.`, {
    help: "Stop that process, or choose another address.",
    cause,
  });
}

const codeOf = (thrown: unknown): string => (thrown as NodeJS.ErrnoException).code ?? "";
