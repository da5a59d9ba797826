/** The daemon's events without an end: a broken connection is made again, and goes on where it broke. */
import { setTimeout as delay } from "node:timers/promises";
import type { EventLine } from "../../daemon/http/control/api.js";
import { Failure } from "../plugin-api/exit.js";
import type { Control } from "./client.js";
import { ControlError } from "./problem.js";

/** The connection is lost; either the same line or one of the daemon follows. */
interface LostLine {
  readonly line: "lost";
  /** One sentence without a full stop. */
  readonly reason: string;
  /** Milliseconds until the next try. */
  readonly retryIn: number;
}

export type WatchLine = EventLine | LostLine;

export interface EventWatchOptions {
  /** The last sequence number seen, to go on after it. */
  readonly since?: number | undefined;
  readonly signal: AbortSignal;
  /** As in `EventQuery`. */
  readonly most?: number;
  /** Milliseconds without a line, not even a heartbeat, after which the connection counts as broken. @default 45000 */
  readonly silence?: number;
  /** Milliseconds before the first try to connect again; doubled up to ten times that. @default 500 */
  readonly retry?: number;
  /** Whether the daemon has answered before, to other questions: then even the first connection is tried again. @default false */
  readonly known?: boolean;
}

/**
 * Ends only when `signal` is aborted. Unless the daemon is known, the first connection must succeed: otherwise it rejects as
 * `Control.events` does.
 * A daemon that was restarted begins with a snapshot, whose `boot` is another.
 */
export async function* watch(
  control: Control,
  options: EventWatchOptions,
): AsyncGenerator<WatchLine> {
  const { signal, most, silence = 45_000, retry = 500, known = false } = options;
  let since = options.since;
  let boot: string | undefined;
  let failures = 0;
  let connected = known;
  while (!signal.aborted) {
    let reason = "the daemon ended the connection";
    try {
      const resumed = {
        ...(since !== undefined && { since }),
        ...(boot !== undefined && { boot }),
      };
      const query = { ...resumed, ...(most !== undefined && { most }) };
      for await (const line of alive((stop) => control.events(query, stop), silence, signal)) {
        connected = true;
        failures = 0;
        since = line.sequence;
        if (line.line === "snapshot") boot = line.boot;
        yield line;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const mayPass = connected && thrown instanceof Failure && !(thrown instanceof ControlError);
      if (!mayPass && !isBroken(thrown)) throw thrown;
      reason = mayPass ? thrown.message : "the connection to the daemon broke";
    }
    if (signal.aborted) return;
    const retryIn = retry * Math.min(2 ** failures, 10);
    failures += 1;
    yield { line: "lost", reason, retryIn };
    await delay(retryIn, undefined, { signal }).catch(() => undefined);
  }
}

/** The lines of one connection, given up when nothing is heard for too long. */
async function* alive<Line>(
  open: (signal: AbortSignal) => AsyncGenerator<Line>,
  silence: number,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const given = new AbortController();
  const giveUp = () => given.abort();
  const patience = setTimeout(giveUp, silence);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    for await (const line of open(given.signal)) {
      patience.refresh();
      yield line;
    }
  } finally {
    clearTimeout(patience);
    signal.removeEventListener("abort", giveUp);
  }
}

/** In the middle of the stream: cut off by the other side, by us, or garbled. */
function isBroken(thrown: unknown): boolean {
  const { code = "", name = "" } = thrown as NodeJS.ErrnoException;
  return name === "AbortError" || name === "SyntaxError" || /^(ECONN|EPIPE|HPE_|ABORT)/.test(code);
}
