/** What a run said: masked as it arrives, bounded, always whole characters. */
import type { Mask, MaskStream } from "../mask.js";
import { BoundedOutput } from "../output.js";

export interface KeptOutput {
  readonly text: string;
  /** Of the whole output, as it was masked. */
  readonly bytes: number;
  readonly omitted: number;
}

interface Stream {
  readonly decoder: TextDecoder;
  readonly mask: MaskStream;
}

export class RunOutput {
  readonly #bounded: BoundedOutput;
  readonly #mask: Mask;
  readonly #streams = new Map<"stdout" | "stderr", Stream>();
  #ended = false;
  /** Whether something was added since `kept` was last asked. */
  dirty = false;

  /** `limit` in bytes. */
  constructor(limit: number, mask: Mask) {
    this.#bounded = new BoundedOutput(limit);
    this.#mask = mask;
  }

  push(stream: "stdout" | "stderr", data: Uint8Array | string): void {
    if (this.#ended) return;
    const { decoder, mask } = this.#stream(stream);
    const text = typeof data === "string" ? data : decoder.decode(data, { stream: true });
    this.#add(mask.push(text));
  }

  /** Lets out what was held back; nothing can be added afterwards. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const { decoder, mask } of this.#streams.values()) {
      this.#add(mask.push(decoder.decode()));
      this.#add(mask.end());
    }
  }

  kept(): KeptOutput {
    this.dirty = false;
    const { head, tail, omitted } = this.#bounded.parts();
    const gap = omitted === 0 ? "" : `\n… ${omitted} bytes omitted …\n`;
    const text = `${Buffer.from(head)}${gap}${Buffer.from(tail)}`;
    // Once more as a whole: a secret may have become known meanwhile, or come by way of both streams.
    return { text: this.#mask.text(text), bytes: this.#bounded.bytes, omitted };
  }

  #stream(name: "stdout" | "stderr"): Stream {
    let stream = this.#streams.get(name);
    if (!stream) {
      stream = { decoder: new TextDecoder(), mask: this.#mask.stream() };
      this.#streams.set(name, stream);
    }
    return stream;
  }

  #add(text: string): void {
    if (text === "") return;
    this.#bounded.push(Buffer.from(text));
    this.dirty = true;
  }
}
