/** The control API on its socket. */
import { lstatSync, rmSync, type Stats } from "node:fs";
import { chmod, lstat, mkdir } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { dirname } from "node:path";
import { parseAddress } from "../../config/address.js";
import { errorMessage, ReeveError } from "../../errors.js";
import type { ConditionFinding } from "../../services/contract.js";
import { replaceable } from "../../services/trusted-directory.js";
import { requireOneHost } from "../host-header.js";
import { bind } from "../listeners/bind.js";
import { ensureFree, SocketAnswers, socketFileRefusal } from "../listeners/socket-file.js";
import { createControlApp, withMounts } from "./app.js";
import { ClientNetwork } from "./client-network.js";
import type { RouteMounts } from "./mounts.js";
import type { ControlDependencies } from "./status.js";

export interface ControlServer {
  /** Answers from then on. @throws ReeveError when another daemon has the socket, or it cannot be made */
  open(): Promise<void>;
  /** Makes the socket again if its file is gone. Resolves with the fault that remains. */
  restore(): Promise<ConditionFinding | undefined>;
  /** Ends event streams and everything else that is connected. */
  close(): Promise<void>;
  /** Removes the socket's file if it is still there, at once: for a daemon that ends without having closed everything. */
  removeFile(): void;
}

export async function createControlServer(
  subjects: ControlDependencies,
  mounts: RouteMounts,
  options: { readonly shared: boolean },
): Promise<ControlServer> {
  const { control: path } = subjects.identity;
  const server = createServer();
  const { log } = subjects.kit;
  let refused = 0;
  const network = new ClientNetwork(() => {
    // A command may ask as often as it likes.
    if (refused === 0) log.warn("A client in another network namespace was refused", { path });
    refused += 1;
  });
  const app = await createControlApp(
    subjects,
    withMounts(mounts, subjects, (handler) =>
      server.on("request", network.require(requireOneHost(handler))),
    ),
  );
  let cleanUp = async (): Promise<void> => undefined;
  let identity: string | undefined;
  /** Those whose files are gone keep the connections that they have. */
  const servers: Server[] = [];
  const listenOn = async (next: Server): Promise<void> => {
    const address = parseAddress(`unix:${path}`);
    await makeDirectory(path, options.shared);
    await refuseSecondDaemon(path);
    const mode = options.shared ? 0o660 : 0o600;
    ({ cleanUp } = await bind(next, address, { mode }));
    network.learn(next);
    identity = await identityOf(path);
    servers.push(next);
  };
  let opening: Promise<void> | undefined;
  let closing = false;
  return {
    async open() {
      // A daemon that stops during its start makes no socket any more.
      if (closing) return;
      opening = listenOn(server);
      await opening;
    },
    async restore() {
      if (identity === undefined || (await identityOf(path)) === identity) return undefined;
      if (closing) return undefined;
      try {
        const next = createServer();
        for (const listener of server.listeners("request")) {
          next.on("request", listener as Parameters<typeof next.on>[1]);
        }
        opening = listenOn(next);
        await opening;
        subjects.kit.events.emit("control.restored", { control: path });
        subjects.kit.log.warn("The control socket was lost and has been made again", { path });
        return undefined;
      } catch (thrown) {
        const reason = `The control socket ${path} is lost: ${errorMessage(thrown)}`;
        return { code: "control_lost", reason, isUnready: true };
      }
    },
    async close() {
      closing = true;
      // Requests are answered, and may end the daemon, before `bind` has returned.
      await opening?.catch(() => undefined);
      await cleanUp();
      await app.close();
      await Promise.all(servers.map(closeServer));
    },
    removeFile() {
      closing = true;
      const found = lstatSync(path, { throwIfNoEntry: false });
      // Another daemon may have made its own by now.
      if (found && nameOf(found) === identity) rmSync(path, { force: true });
    },
  };
}

/** `undefined` if there is no file. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found && nameOf(found);
}

const nameOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}

async function makeDirectory(path: string, shared: boolean): Promise<void> {
  const directory = dirname(path);
  try {
    const made = await mkdir(directory, { recursive: true });
    if (made !== undefined) await chmod(directory, shared ? 0o750 : 0o700);
  } catch (thrown) {
    throw socketFileRefusal(path, thrown);
  }
  const reason = replaceable(directory);
  if (reason === undefined) return;
  throw new ReeveError("cannot_listen", `Cannot make the socket \`${path}\`: ${reason}.`, {
    help: "Choose a directory that only root and the daemon's user can change.",
  });
}

/** @throws ReeveError `already_running` */
export async function refuseSecondDaemon(path: string): Promise<void> {
  try {
    await ensureFree(path);
  } catch (thrown) {
    if (!(thrown instanceof SocketAnswers))
      throw thrown instanceof ReeveError ? thrown : socketFileRefusal(path, thrown);
    const pid = await pidBehind(path);
    const who = pid === undefined ? "another process" : `process ${pid}`;
    throw new ReeveError("already_running", `Reeve runs already: ${who} has \`${path}\`.`, {
      help: "Stop it first, or give this one a socket and a state directory of its own with `--control` and `--state`.",
      cause: thrown,
    });
  }
}

/** Asks the process behind the socket for its id. */
function pidBehind(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const status = request({ socketPath: path, path: "/v1/status", timeout: 1000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => resolve(undefined));
      response.on("end", () => resolve(pidIn(text)));
    });
    status.on("timeout", () => status.destroy(new Error("no answer")));
    status.on("error", () => resolve(undefined));
    status.end();
  });
}

function pidIn(text: string): number | undefined {
  try {
    const { pid } = JSON.parse(text) as { pid?: unknown };
    return typeof pid === "number" ? pid : undefined;
  } catch {
    return undefined;
  }
}
