/** The other end, inside a worker or a process: its port to the daemon. */
import { parentPort } from "node:worker_threads";
import type { Port } from "./peer.js";

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
  return {
    send: (message) => {
      if (process.connected) process.send?.(message as object);
    },
    receive: (listener) => {
      process.on("message", listener);
    },
  };
}
