/** What is kept of a command's outputs, within one limit for both. */
import { BoundedOutput } from "../output.js";

export interface KeptOutputs {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly omitted: number;
}

export class Outputs {
  readonly #limit: number;
  readonly #stdout: BoundedOutput;
  readonly #stderr: BoundedOutput;

  /** `limit` in bytes, for both together. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#stdout = new BoundedOutput(limit);
    this.#stderr = new BoundedOutput(limit);
  }

  /** Of both, as they came. */
  get bytes(): number {
    return this.#stdout.bytes + this.#stderr.bytes;
  }

  push(stream: "stdout" | "stderr", data: Uint8Array): void {
    (stream === "stdout" ? this.#stdout : this.#stderr).push(data);
  }

  /** The one that needs less than half leaves the rest to the other. */
  kept(): KeptOutputs {
    const half = Math.floor(this.#limit / 2);
    const out = Math.min(this.#stdout.bytes, Math.max(half, this.#limit - this.#stderr.bytes));
    const error = Math.min(this.#stderr.bytes, this.#limit - out);
    const stdout = within(this.#stdout, out);
    const stderr = within(this.#stderr, error);
    const omitted = this.bytes - stdout.length - stderr.length;
    return { stdout, stderr, omitted };
  }
}

function within(output: BoundedOutput, limit: number): Uint8Array {
  const { head, tail, omitted } = output.parts();
  const whole = Buffer.concat([head, tail]);
  if (whole.length <= limit) return whole;
  // A second, narrower look at what is already only a head and a tail.
  const narrower = new BoundedOutput(limit);
  narrower.push(omitted === 0 ? whole : head);
  if (omitted > 0) narrower.push(tail);
  const parts = narrower.parts();
  return Buffer.concat([parts.head, parts.tail]);
}
