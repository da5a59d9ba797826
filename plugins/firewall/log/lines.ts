/** Reads a log file in pieces that end at line ends, in bounded memory. */
import { closeSync, openSync, readSync } from "node:fs";

const pieceBytes = 256 * 1024;
const newline = 0x0a;
/** Longer lines are cut, which bounds memory. */
const longestLine = 1024 * 1024;

/** Pieces of whole lines; the last line may lack its newline. The buffer is reused for the next piece. */
export function* readPieces(path: string): Generator<Buffer> {
  const descriptor = openSync(path, "r");
  try {
    let buffer: Buffer = Buffer.allocUnsafe(pieceBytes);
    let kept = 0;
    for (;;) {
      if (kept === buffer.length) {
        if (kept >= longestLine) kept = 0;
        else buffer = grown(buffer);
      }
      const read = readSync(descriptor, buffer, kept, buffer.length - kept, null);
      if (read === 0) break;
      const filled = kept + read;
      const end = buffer.lastIndexOf(newline, filled - 1);
      if (end < kept) {
        kept = filled;
        continue;
      }
      yield buffer.subarray(0, end + 1);
      buffer.copy(buffer, 0, end + 1, filled);
      kept = filled - end - 1;
    }
    if (kept > 0) yield buffer.subarray(0, kept);
  } finally {
    closeSync(descriptor);
  }
}

export function* readLines(path: string): Generator<string> {
  for (const piece of readPieces(path)) {
    const text = piece.toString("utf8");
    for (let from = 0; from < text.length; ) {
      const found = text.indexOf("\n", from);
      const end = found < 0 ? text.length : found;
      const line = text.slice(from, text[end - 1] === "\r" ? end - 1 : end);
      if (line !== "") yield line;
      from = end + 1;
    }
  }
}

function grown(buffer: Buffer): Buffer {
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}
