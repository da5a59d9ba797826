/** What a run said: masked as it arrives, bounded, always whole characters. */
import type { Mask, MaskStream } from "../mask.js";
import { BoundedOutput } from "../output.js";

export interface CapturedOutput {
  readonly text: string;
  /** Of the whole output, as it was masked. */
  readonly bytes: number;
  readonly omitted: number;
}

const nothing: CapturedOutput = { text: "", bytes: 0, omitted: 0 };

interface Stream {
  readonly decoder: TextDecoder;
  readonly mask: MaskStream;
}

export class RunOutput {
  readonly #limit: number;
  readonly #mask: Mask;
  /** Made for the first word: thousands may wait that have said nothing yet. */
  #bounded: BoundedOutput | undefined;
  #streams: Partial<Record<"stdout" | "stderr", Stream>> | undefined;
  #ended = false;
  /** Whether something was added since `kept` was last asked. */
  dirty = false;

  /** `limit` in bytes. */
  constructor(limit: number, mask: Mask) {
    this.#limit = limit;
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
    for (const { decoder, mask } of Object.values(this.#streams ?? {})) {
      this.#add(mask.push(decoder.decode()));
      this.#add(mask.end());
    }
  }

  kept(): CapturedOutput {
    this.dirty = false;
    if (!this.#bounded) return nothing;
    const { head, tail, omitted } = this.#bounded.parts();
    const gap = omitted === 0 ? "" : `\n… ${omitted} bytes omitted …\n`;
    const text = `${Buffer.from(head)}${gap}${Buffer.from(tail)}`;
    // Once more as a whole: a secret may have become known meanwhile, or come by way of both streams.
    return { text: this.#mask.text(text), bytes: this.#bounded.bytes, omitted };
  }

  #stream(name: "stdout" | "stderr"): Stream {
    this.#streams ??= {};
    this.#streams[name] ??= { decoder: new TextDecoder(), mask: this.#mask.stream() };
    return this.#streams[name];
  }

  #add(text: string): void {
    if (text === "") return;
    this.#bounded ??= new BoundedOutput(this.#limit);
    this.#bounded.push(Buffer.from(text));
    this.dirty = true;
  }
}
