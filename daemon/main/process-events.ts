/** Signals and uncaught errors of the process. */
import { constants } from "node:os";
import type { Log } from "../plugin-api/context.js";
import { faultMessage } from "../plugin-fault.js";
import type { Shutdown } from "./shutdown.js";

/** EX_SOFTWARE: a fault of Reeve itself. */
const FAULT = 70;

export interface ProcessEvents {
  readonly shutdown: Shutdown;
  /** SIGHUP. */
  readonly reload: () => Promise<void>;
  readonly log: () => Log | undefined;
  /** Fails the plugin that did not catch an error. Returns whether one is known. */
  readonly failPlugin: (error: unknown) => boolean;
  /** For logs that are read by programs; at a terminal one sentence is what helps. */
  readonly stacks: boolean;
}

/** Starts listening; returns a function that stops. */
export function listenToProcess({
  shutdown,
  reload,
  log,
  failPlugin,
  stacks,
}: ProcessEvents): () => void {
  const describe = (error: unknown) => ({
    reason: faultMessage(error),
    ...(stacks && error instanceof Error && { stack: error.stack }),
  });
  const end = (signal: NodeJS.Signals): void => {
    log()?.info(shutdown.isRequested ? "Stopping at once" : "Stopping", { signal });
    shutdown.request(128 + constants.signals[signal]);
  };
  const hup = (): void => {
    reload().catch((thrown) => log()?.error("The reload failed", { reason: faultMessage(thrown) }));
  };
  const fault = (error: unknown): void => {
    if (failPlugin(error)) return;
    log()?.error("Internal error; the daemon stops", describe(error));
    shutdown.fail(FAULT);
  };
  /** An unhandled rejection, mostly of a plugin, is no reason to stop a working daemon. */
  const forgotten = (error: unknown): void => {
    log()?.error("Unhandled rejection", describe(error));
  };
  process.on("SIGTERM", end).on("SIGINT", end).on("SIGHUP", hup);
  process.on("uncaughtException", fault).on("unhandledRejection", forgotten);
  return () => {
    process.off("SIGTERM", end).off("SIGINT", end).off("SIGHUP", hup);
    process.off("uncaughtException", fault).off("unhandledRejection", forgotten);
  };
}
