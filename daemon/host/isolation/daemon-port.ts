/** The other end, inside a worker or a process: its port to the daemon. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { faultMessage } from "../../plugin-fault.js";
import { LimitedPort } from "./credit.js";
import type { Port } from "./peer.js";

/** Why a process ends, from itself. */
export interface ExitReason {
  readonly lastWords: string;
}

/** The port to the daemon. A process whose daemon is gone ends. */
export const daemonPort = (): Port =>
  new LimitedPort(parentPort ? workerPort(parentPort, workerData) : processPort());

/** The daemon reads the port of a worker without a limit, so it is closed; `port` is read in turns. */
function workerPort(parent: MessagePort, port: MessagePort): Port {
  parent.close();
  return {
    send: (message) => port.postMessage(message),
    receive: (listener) => {
      port.on("message", listener);
    },
  };
}

function processPort(): Port {
  process.on("disconnect", () => process.exit(0));
  process.on("uncaughtException", (thrown) => {
    const last: ExitReason = { lastWords: faultMessage(thrown) };
    if (process.send) process.send(last, () => process.exit(70));
    else process.exit(70);
  });
  return {
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    receive: (listener) => {
      process.on("message", listener);
    },
  };
}
