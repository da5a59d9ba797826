/** Follows a growing log: its last lines, then each new one. */
import { open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** As many as `tail` shows. */
const shownBefore = 10;
const lookEveryMs = 100;
const pieceBytes = 64 * 1024;

/** Whole lines until aborted. Restarts at the beginning of a file that was truncated or replaced. */
export async function* followLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  let from: "end" | "start" = "end";
  while (!signal.aborted) {
    yield* followFile(path, from, signal);
    from = "start";
  }
}

/** Ends when aborted or when the path names another file. */
async function* followFile(
  path: string,
  from: "end" | "start",
  signal: AbortSignal,
): AsyncGenerator<string> {
  await using file = await open(path, "r");
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let position = from === "start" ? 0 : await startOf(file, shownBefore);
  let pending = Buffer.alloc(0);
  while (!signal.aborted) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) {
      const { size, ino } = await file.stat();
      const now = await stat(path).catch(() => undefined);
      if (now !== undefined && now.ino !== ino) return;
      if (size < position) {
        position = 0;
        pending = Buffer.alloc(0);
        continue;
      }
      await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
      continue;
    }
    position += bytesRead;
    pending = Buffer.concat([pending, buffer.subarray(0, bytesRead)]);
    const end = pending.lastIndexOf(0x0a);
    if (end < 0) continue;
    const lines = pending.toString("utf8", 0, end).split("\n");
    pending = pending.subarray(end + 1);
    yield* lines.filter((line) => line !== "");
  }
}

/** The offset of the last lines. */
async function startOf(
  file: import("node:fs/promises").FileHandle,
  lines: number,
): Promise<number> {
  const { size } = await file.stat();
  const from = Math.max(0, size - pieceBytes);
  const buffer = Buffer.allocUnsafe(size - from);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
  let at = bytesRead;
  for (let count = 0; count <= lines; count += 1) {
    if (at <= 0) return from;
    at = buffer.lastIndexOf(0x0a, at - 1);
    if (at < 0) return from;
  }
  return from + at + 1;
}
