/**
 * Notices that the threads which everything in the process shares for files do not answer: what waits for a dead disk or a named pipe holds them,
 * also for others. Looks by timers alone, so that it does not need what it looks at.
 */
import { stat } from "node:fs";
import type { Conditions } from "../services/contract.js";

export interface PoolMonitorOptions {
  readonly conditions: Pick<Conditions, "report">;
  /** Milliseconds between two looks. @default 500 */
  readonly interval?: number;
  /** Milliseconds within which the pool is to answer. @default 3000 */
  readonly patience?: number;
}

export interface PoolMonitor {
  readonly isBlocked: boolean;
  stop(): void;
}

/** Looks in which the event loop turned; after a stall of the loop the answer may be there and unread. */
const LOOKS = 3;

export function monitorPool(options: PoolMonitorOptions): PoolMonitor {
  const { conditions, interval = 500, patience = 3000 } = options;
  let probe: { readonly at: number; looks: number } | undefined;
  let isBlocked = false;
  const say = (blocked: boolean): void => {
    if (blocked === isBlocked) return;
    isBlocked = blocked;
    const reason = `The process's pool of file threads is blocked: an operation on a file has not been answered for ${patience / 1000} s. A plugin, or a disk that does not respond, holds all of its threads.`;
    conditions.report("pool", blocked ? [{ code: "pool_blocked", reason, isUnready: true }] : []);
  };
  const look = (): void => {
    if (probe) {
      probe.looks += 1;
      if (probe.looks >= LOOKS && performance.now() - probe.at >= patience) say(true);
      return;
    }
    probe = { at: performance.now(), looks: 0 };
    stat("/", () => {
      probe = undefined;
      say(false);
    });
  };
  const timer = setInterval(look, interval).unref();
  return {
    get isBlocked() {
      return isBlocked;
    },
    stop: () => clearInterval(timer),
  };
}
