/** stdout for a lot of lines: written in large pieces, at the reader's pace, and quietly ended when it goes away. */
const pieceLength = 64 * 1024;

export class StdoutWriter {
  #pending = "";
  #closed = false;

  constructor() {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      this.#closed = true;
    });
  }

  /** The reader has gone; there is no point in going on. */
  get closed(): boolean {
    return this.#closed;
  }

  /** True when the caller should wait for `flush` before it goes on. */
  write(text: string): boolean {
    this.#pending += text;
    return this.#pending.length > pieceLength;
  }

  async flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = "";
    if (text === "" || this.#closed) return;
    // Called with an error, too, when the reader has gone.
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  }
}
