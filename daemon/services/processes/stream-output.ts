/** Output read as a stream, closed when a process outside the command's group holds it open. */
import type { Readable } from "node:stream";
import type { ProcessOutput } from "./spawner.js";

/** Milliseconds between looks. */
const interval = 25;
/**
 * Polls without new data before a pipe is abandoned: a process outside the group keeps it open. Polls rather than time,
 * since a busy event loop may not have read the data.
 */
const mostQuietLooks = 10;
/** Polls in total: a process outside the group may keep writing. */
const mostLooks = 80;

export class StreamOutput implements ProcessOutput {
  readonly name: ProcessOutput["name"];
  readonly #stream: Readable;
  #bytes = 0;

  constructor(name: ProcessOutput["name"], stream: Readable) {
    this.name = name;
    this.#stream = stream;
  }

  listen(onData: (data: Buffer) => void): void {
    this.#stream.on("data", (data: Buffer) => {
      this.#bytes += data.length;
      onData(data);
    });
    // A pipe that breaks is a pipe that ends.
    this.#stream.on("error", () => this.#stream.destroy());
  }

  end(): Promise<void> | undefined {
    return this.#stream.closed ? undefined : this.#closedOrQuiet();
  }

  async #closedOrQuiet(): Promise<void> {
    await new Promise<void>((resolve) => {
      let [looks, quiet, bytes] = [0, 0, this.#bytes];
      const done = (): void => {
        clearInterval(timer);
        resolve();
      };
      const timer = setInterval(() => {
        quiet = this.#bytes === bytes ? quiet + 1 : 0;
        bytes = this.#bytes;
        looks += 1;
        if (quiet === mostQuietLooks || looks === mostLooks) done();
      }, interval);
      this.#stream.once("close", done);
    });
    this.#stream.destroy();
  }
}
