/** The other end, inside a worker or a process: its port to the daemon. */
import { parentPort } from "node:worker_threads";
import { errorMessage } from "../../errors.js";
import type { Port } from "./peer.js";

/** Why a process ends, from itself. */
export interface ExitReason {
  readonly lastWords: string;
}

/** The port to the daemon. A process whose daemon is gone ends. */
export function daemonPort(): Port {
  if (parentPort) {
    const port = parentPort;
    return {
      send: (message) => port.postMessage(message),
      receive: (listener) => {
        port.on("message", listener);
      },
    };
  }
  process.on("disconnect", () => process.exit(0));
  process.on("uncaughtException", (thrown) => {
    const last: ExitReason = { lastWords: errorMessage(thrown) };
    if (process.send) process.send(last, () => process.exit(70));
    else process.exit(70);
  });
  return {
    send: (message) => {
      if (process.connected) process.send?.(message as object);
    },
    receive: (listener) => {
      process.on("message", listener);
    },
  };
}
