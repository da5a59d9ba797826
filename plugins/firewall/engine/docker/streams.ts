/** The caller's input and output, connected to a container's by one stream of the engine. */
import type { Socket } from "node:net";
import type { Writable } from "node:stream";

export interface StreamEvents {
  /** The caller's terminal has this size now. */
  readonly resize: (rows: number, columns: number) => void;
  /** Nobody reads what the command writes. */
  readonly outputClosed: () => void;
}

export interface Streams {
  /** Resolves when all of the container's output has been written. */
  readonly ended: Promise<void>;
  /** The container runs: its terminal can be given a size. */
  started(): void;
  /** Gives the caller's terminal back. */
  close(): void;
}

/** Connects them. `terminal`: the container has one, and its output is a single stream. */
export function connectStreams(
  stream: Socket,
  terminal: boolean,
  { resize, outputClosed }: StreamEvents,
): Streams {
  const { stdin, stdout, stderr } = process;
  const raw = terminal && stdin.isTTY === true;
  const sizeChanged = () => resize(stdout.rows, stdout.columns);
  stream.on("error", () => stream.destroy());
  stdin.on("error", () => {});
  for (const output of [stdout, stderr]) output.on("error", outputClosed);
  if (raw) stdin.setRawMode(true);
  // An engine takes the end of a terminal's input for the end of the whole connection.
  stdin.pipe(stream, { end: !terminal });
  if (terminal) stdin.once("end", () => stream.write(endOfInput));
  const close = () => {
    stdin.unpipe(stream);
    stdin.pause();
    if (raw) stdin.setRawMode(false);
    stdout.off("resize", sizeChanged);
    for (const output of [stdout, stderr]) output.off("error", outputClosed);
  };
  const copied = terminal ? copy(stream, stdout) : demultiplex(stream, stdout, stderr);
  return {
    ended: copied.catch(() => {}).finally(close),
    started: () => {
      if (!terminal || !stdout.isTTY) return;
      sizeChanged();
      stdout.on("resize", sizeChanged);
    },
    close: () => {
      close();
      stream.destroy();
    },
  };
}

async function copy(stream: Socket, output: Writable): Promise<void> {
  for await (const bytes of stream) await write(output, bytes as Buffer);
}

const headLength = 8;
/** As typed on a terminal. */
const endOfInput = "\u0004";

/**
 * The engine's frames: which output (1 or 2), three zeros, the length in four bytes, the bytes. Passed on as they come,
 * however long a frame says it is.
 */
export async function demultiplex(
  stream: AsyncIterable<unknown>,
  out: Writable,
  error: Writable,
): Promise<void> {
  let head = Buffer.alloc(0);
  let left = 0;
  let output = out;
  for await (const chunk of stream) {
    let bytes = chunk as Buffer;
    while (bytes.length > 0) {
      if (left === 0) {
        const missing = headLength - head.length;
        head = Buffer.concat([head, bytes.subarray(0, missing)]);
        bytes = bytes.subarray(missing);
        if (head.length < headLength) break;
        output = head[0] === 2 ? error : out;
        left = head.readUInt32BE(4);
        head = Buffer.alloc(0);
      } else {
        const part = bytes.subarray(0, left);
        left -= part.length;
        bytes = bytes.subarray(part.length);
        await write(output, part);
      }
    }
  }
}

function write(output: Writable, bytes: Buffer): Promise<void> | undefined {
  if (output.destroyed || output.write(bytes)) return undefined;
  return new Promise((resolve) => {
    const go = () => {
      output.off("drain", go).off("close", go);
      resolve();
    };
    output.once("drain", go).once("close", go);
  });
}
