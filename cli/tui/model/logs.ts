/** The daemon's log as far as it is known: asked for bit by bit, bounded. */
import type { LogLine, LogList } from "../../../daemon/http/control/api.js";

/** Lines that are kept. */
const MOST = 2000;

/** What is known after an answer. */
export interface KnownLogs {
  readonly boot: string | undefined;
  /** Of the newest line; 0 before the first. */
  readonly sequence: number;
  /** Newest first. The same array while nothing comes. */
  readonly lines: readonly LogLine[];
}

export const noLogs: KnownLogs = { boot: undefined, sequence: 0, lines: [] };

/** Another daemon has a log of its own. */
export function withAnswer(known: KnownLogs, { lines, boot }: LogList): KnownLogs {
  const before = boot === known.boot ? known : noLogs;
  const fresh = lines.filter(({ sequence }) => sequence > before.sequence);
  if (fresh.length === 0) return boot === known.boot ? known : { ...noLogs, boot };
  const sequence = fresh.at(-1)?.sequence ?? before.sequence;
  return { boot, sequence, lines: [...fresh.toReversed(), ...before.lines].slice(0, MOST) };
}
