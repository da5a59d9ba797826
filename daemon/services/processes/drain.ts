/** The last of what a command has said. */
import type { Readable } from "node:stream";

/** Milliseconds between looks. */
const interval = 25;
/**
 * Looks without anything new until a pipe is given up: somebody outside the group holds it open. Looks rather than time,
 * since a busy event loop has not read what is there.
 */
const mostQuietLooks = 10;
/** Looks in all: somebody outside may go on talking. */
const mostLooks = 80;

/** Everything that was said has been read, or nobody who may say something is left. `read` counts the bytes so far. */
export async function drained(streams: readonly Readable[], read: () => number): Promise<void> {
  const open = streams.filter(({ closed }) => !closed);
  if (open.length > 0) await closedOrQuiet(open, read);
  for (const stream of open) stream.destroy();
}

function closedOrQuiet(open: readonly Readable[], read: () => number): Promise<void> {
  return new Promise((resolve) => {
    let [left, looks, quiet, bytes] = [open.length, 0, 0, read()];
    const done = (): void => {
      clearInterval(timer);
      resolve();
    };
    const timer = setInterval(() => {
      quiet = read() === bytes ? quiet + 1 : 0;
      bytes = read();
      looks += 1;
      if (quiet === mostQuietLooks || looks === mostLooks) done();
    }, interval);
    for (const stream of open) {
      stream.once("close", () => {
        left -= 1;
        if (left === 0) done();
      });
    }
  });
}
