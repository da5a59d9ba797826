/** Output of any length in a bounded space: its first part, its last part, and how much was between them. */

/** UTF-8 characters stay whole. */
export class BoundedOutput {
  /** Bytes that were pushed. */
  bytes = 0;
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.max(0, limit - this.#headLimit);
  }

  push(data: Uint8Array): void {
    this.bytes += data.length;
    const room = this.#headLimit - this.#headBytes;
    const first = data.subarray(0, room);
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    const rest = data.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#tailLimit) this.#shrink();
  }

  /** What was kept; `omitted` bytes are missing between its parts. Where none are, all of it is the head. */
  parts(): { readonly head: Uint8Array; readonly tail: Uint8Array; readonly omitted: number } {
    this.#shrink();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (head.length + tail.length === this.bytes) {
      return { head: Buffer.concat([head, tail]), tail: new Uint8Array(), omitted: 0 };
    }
    const wholeHead = head.subarray(0, wholeUntil(head));
    const wholeTail = tail.subarray(wholeFrom(tail));
    return {
      head: wholeHead,
      tail: wholeTail,
      omitted: this.bytes - wholeHead.length - wholeTail.length,
    };
  }

  /** Copies, so that a small rest does not hold on to large chunks. */
  #shrink(): void {
    if (this.#tailBytes <= this.#tailLimit) return;
    const tail = Buffer.concat(this.#tail);
    this.#tail = [Buffer.from(tail.subarray(tail.length - this.#tailLimit))];
    this.#tailBytes = this.#tailLimit;
  }
}

const continues = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** The length without a character that the end cuts off. */
function wholeUntil(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (continues(byte)) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return width > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The index of the first byte that begins a character. */
function wholeFrom(bytes: Uint8Array): number {
  for (let index = 0; index < Math.min(4, bytes.length); index++) {
    if (!continues(bytes[index])) return index;
  }
  // No character has four bytes behind its first one: longer, it is no text, and stays as it is.
  return bytes.length < 4 ? bytes.length : 0;
}
