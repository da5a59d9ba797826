/**
 * Whether a client of a UNIX socket is in the network of this host. A sandbox has a network namespace of its own, and the kernel makes
 * the server's end of a connection in the namespace of its client: `unix_stream_connect` in net/unix/af_unix.c. Each namespace lists its
 * own sockets: proc_pid_net(5).
 */
import { readFileSync, readlinkSync } from "node:fs";
import type { Server, Socket } from "node:net";
import type { RequestHandler } from "../contract.js";
import { problem, sendProblem } from "../problem.js";

/** Of this process, and of the first process of the host or container: a daemon may run in another one on purpose. */
const TABLES = ["/proc/self/net/unix", "/proc/1/net/unix"];
/** A table that changes while it is read may lack a line. */
const READS = 3;

/** The control API's servers, whose clients it judges. */
export class ClientNetwork {
  readonly #refused: () => void;
  /** Systems other than Linux list no sockets, and not every emulation of it does. */
  #isKnown = process.platform === "linux";

  /** @param refused called for each refused request */
  constructor(refused: () => void) {
    this.#refused = refused;
  }

  /** Whether this system lists sockets: then it lists a server that listens. */
  learn(listening: Server): void {
    this.#isKnown = isListed(listening);
  }

  /** Passes on requests from the host's network; the others get 403. A connection is examined once. */
  require(handler: RequestHandler): RequestHandler {
    const examined = new WeakMap<Socket, boolean>();
    return (request, response) => {
      const { socket } = request;
      const isOwn = !this.#isKnown || (examined.get(socket) ?? isListed(socket));
      examined.set(socket, isOwn);
      if (isOwn) {
        handler(request, response);
        return;
      }
      this.#refused();
      response.setHeader("connection", "close");
      sendProblem(response, problem("forbidden", REASON, REMEDY));
    };
  }
}

const REASON = "The client is in another network namespace, as commands in sandboxes are.";
const REMEDY = "Ask from the network namespace of the daemon or of the host, outside of sandboxes.";

function isListed(of: Socket | Server): boolean {
  const { fd } = (of as { readonly _handle?: { readonly fd?: number } })._handle ?? {};
  const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/self/fd/${fd}`)) ?? [];
  if (inode === undefined) return false;
  const columns = "^[0-9a-f]+: (?:[0-9A-F]{8} ){3}[0-9A-F]{4} [0-9A-F]{2} +";
  const line = new RegExp(`${columns}${inode}(?: |$)`, "m");
  for (let reads = 0; reads < READS; reads += 1)
    if (TABLES.some((path) => line.test(textOf(path)))) return true;
  return false;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
