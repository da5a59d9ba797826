/** Connects this process's input and outputs with a container's stream. */
import type { Socket } from "node:net";
import type { Writable } from "node:stream";

export interface StreamEvents {
  /** The terminal has a new size. */
  readonly resize: (rows: number, columns: number) => void;
  /** The reader of the outputs has left. */
  readonly outputClosed: () => void;
}

export interface Streams {
  /** Resolves when all output has been written. */
  readonly ended: Promise<void>;
  /** Call it when the container runs, to set the size of its terminal. */
  started(): void;
  /** Restores the terminal. */
  close(): void;
}

/** @param terminal the container has a terminal, so its output is one stream */
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
  // Engines treat the end of a terminal's input as the end of the whole connection.
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
/** Control-D. */
const endOfInput = "\u0004";

/**
 * Splits the engine's frames: output (1 or 2), three zeros, the length in four bytes, the data. Forwards data before a
 * frame is complete.
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
