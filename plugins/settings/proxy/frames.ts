/** The framing of the language server protocol: bytes in, whole messages out, each with the bytes it came in. */

export interface RpcFrame {
  /** Header and body as they came. */
  readonly bytes: Buffer;
  readonly body: Buffer;
}

/** Bytes of one message; more is no message but a mistake. */
const MAX_FRAME = 256 * 1024 * 1024;
const MAX_HEADER = 8 * 1024;
const BLANK = Buffer.from("\r\n\r\n");

/** The input does not follow the protocol. */
export class NotAFrame extends Error {}

/** Collects chunks of any size and gives whole messages. */
export class RpcFrameReader {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Of the message that is being collected; `undefined` while its header is not complete. */
  #wanted: { readonly header: number; readonly total: number } | undefined;

  /** @throws NotAFrame, when the messages before it have been given; nothing can be understood any more */
  *push(chunk: Buffer): Generator<RpcFrame> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      this.#wanted ??= this.#header();
      if (!this.#wanted || this.#length < this.#wanted.total) return;
      const { header, total } = this.#wanted;
      const all = this.#joined();
      const bytes = all.subarray(0, total);
      this.#chunks = total < all.length ? [all.subarray(total)] : [];
      this.#length = all.length - total;
      this.#wanted = undefined;
      yield { bytes, body: bytes.subarray(header) };
    }
  }

  /** What has come and is no whole message. */
  get rest(): Buffer {
    return this.#joined();
  }

  #header(): { readonly header: number; readonly total: number } | undefined {
    if (this.#length === 0) return undefined;
    const all = this.#joined();
    const end = all.indexOf(BLANK);
    if (end < 0 || end > MAX_HEADER) {
      if (this.#length > MAX_HEADER) throw new NotAFrame("a header without an end");
      return undefined;
    }
    const [, digits] =
      /^content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*$/im.exec(all.toString("latin1", 0, end)) ?? [];
    if (digits === undefined) throw new NotAFrame("a message without Content-Length");
    if (Number(digits) > MAX_FRAME) throw new NotAFrame(`a message of ${digits} bytes`);
    const header = end + BLANK.length;
    return { header, total: header + Number(digits) };
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return first;
    const all = Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [all];
    return all;
  }
}

/** A message with its header. */
export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "latin1"), body]);
}
