/** Writes many lines to stdout in large pieces at the reader's pace; stops quietly when the reader leaves. */
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

  /** The reader has closed stdout. */
  get closed(): boolean {
    return this.#closed;
  }

  /** True if the caller should await `flush` before the next write. */
  write(text: string): boolean {
    this.#pending += text;
    return this.#pending.length > pieceLength;
  }

  async flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = "";
    if (text === "" || this.#closed) return;
    // Node also calls back with an error if the reader has left.
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  }
}
