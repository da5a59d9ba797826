/**
 * Our end of a pipe. Most commands are over before a stream for it would be worth making: what they said is then read in
 * one go. A stream is made for those that take longer.
 */
import { Socket } from "node:net";
import type { ProcessOutput } from "../spawner.js";
import { StreamOutput } from "../stream-output.js";
import type { Libc } from "./libc.js";

/** Milliseconds after which a command is one that takes longer. Until then its output waits in the pipe. */
const short = 50;
/** Bytes per read: a pipe rarely holds more, and its writer may continue. */
const most = 1024 * 1024;

const buffer = Buffer.allocUnsafeSlow(64 * 1024);

export class PipeOutput implements ProcessOutput {
  readonly name: ProcessOutput["name"];
  readonly #descriptor: number;
  readonly #libc: Libc;
  #onData: (data: Buffer) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #stream: StreamOutput | undefined;

  /** Owns the descriptor from now on. */
  constructor(name: ProcessOutput["name"], descriptor: number, libc: Libc) {
    this.name = name;
    this.#descriptor = descriptor;
    this.#libc = libc;
    libc.unblock(descriptor);
  }

  listen(onData: (data: Buffer) => void): void {
    this.#onData = onData;
    this.#timer = setTimeout(() => this.#follow(), short);
  }

  end(): Promise<void> | undefined {
    clearTimeout(this.#timer);
    if (!this.#stream && this.#readToEnd()) return undefined;
    return this.#follow().end();
  }

  /** Instead of `listen`. */
  abandon(): void {
    this.#libc.close(this.#descriptor);
  }

  #follow(): StreamOutput {
    if (!this.#stream) {
      const options = { fd: this.#descriptor, readable: true, writable: false };
      this.#stream = new StreamOutput(this.name, new Socket(options));
      this.#stream.listen(this.#onData);
    }
    return this.#stream;
  }

  #readToEnd(): boolean {
    for (let bytes = 0; bytes < most; ) {
      const count = this.#libc.read(this.#descriptor, buffer);
      if (count < 0) return false;
      if (count === 0) {
        this.#libc.close(this.#descriptor);
        return true;
      }
      this.#onData(Buffer.from(buffer.subarray(0, count)));
      bytes += count;
    }
    return false;
  }
}
