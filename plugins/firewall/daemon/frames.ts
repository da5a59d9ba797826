/** Multiplexes streams: each frame has a letter, four bytes of length, and that many bytes of data. */
export type FrameKind = "stdout" | "stderr" | "event";

const letters: Readonly<Record<FrameKind, number>> = { stdout: 0x6f, stderr: 0x65, event: 0x6a };
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter, kind as FrameKind]));
const headBytes = 5;

export function runFrame(kind: FrameKind, data: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head[0] = letters[kind];
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
}

export const eventFrame = (event: object): Buffer =>
  runFrame("event", Buffer.from(JSON.stringify(event)));

export interface RunFrame {
  readonly kind: FrameKind;
  readonly data: Buffer;
}

/** Reassembles frames from any pieces. */
export class RunFrameReader {
  #pending: Buffer = Buffer.alloc(0);

  /** @throws Error for bytes that are no frame */
  push(bytes: Buffer): RunFrame[] {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const found: RunFrame[] = [];
    for (;;) {
      const { length } = this.#pending;
      if (length < headBytes) return found;
      const kind = kinds.get(this.#pending[0] ?? 0);
      if (kind === undefined) throw new Error("not a frame");
      const end = headBytes + this.#pending.readUInt32BE(1);
      if (length < end) return found;
      found.push({ kind, data: this.#pending.subarray(headBytes, end) });
      this.#pending = this.#pending.subarray(end);
    }
  }
}
