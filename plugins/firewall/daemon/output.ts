/** What a command says, within a limit: the first half of it and the last, and how much was between them. */
export class SandboxOutput {
  readonly #limit: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #all = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(data: Buffer): void {
    this.#all += data.length;
    const half = Math.ceil(this.#limit / 2);
    const first = data.subarray(0, Math.max(0, half - this.#headBytes));
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = data.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#limit) this.#shrink();
  }

  get kept(): { readonly bytes: Buffer; readonly omitted: number } {
    this.#shrink();
    const bytes = Buffer.concat([...this.#head, ...this.#tail]);
    return { bytes, omitted: this.#all - bytes.length };
  }

  #shrink(): void {
    const room = this.#limit - Math.min(this.#headBytes, this.#limit);
    const tail = Buffer.concat(this.#tail);
    const last = Buffer.from(tail.subarray(Math.max(0, tail.length - room)));
    this.#tail = [last];
    this.#tailBytes = last.length;
  }
}
