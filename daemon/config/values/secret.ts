/**
 * A value that must not be seen. Until a generation is prepared it is only its references and what is to be computed
 * from them; afterwards it holds a text, in a private field that nothing prints, spreads, clones or encodes.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ReeveError } from "../../errors.js";
import type { Secret } from "../../plugin-api/values.js";
import type { ValueNode } from "./value.js";

const MASK = "(secret)";

/** Digests are comparable within this process only, so that they are worth nothing anywhere else. */
const key = randomBytes(32);

const digest = (content: string | Uint8Array): Buffer =>
  createHmac("sha256", key).update(content).digest();

export class SecretValue implements Secret {
  readonly #node: ValueNode;
  readonly #content: string | undefined;
  readonly #digest: Buffer | undefined;
  /** What it is made of, as given to `secret(…)`: `env:TOKEN`. */
  readonly references: readonly string[];

  /** `node` computes the content from the secrets it names. */
  constructor(node: ValueNode, references: readonly string[], content?: string) {
    this.#node = node;
    this.references = references;
    this.#content = content;
    this.#digest = content === undefined ? undefined : digest(content);
  }

  get resolved(): boolean {
    return this.#content !== undefined;
  }

  /** What is to be computed from the references. */
  get node(): ValueNode {
    return this.#node;
  }

  /** The same secret with its content. */
  withContent(content: string): SecretValue {
    return new SecretValue(this.#node, this.references, content);
  }

  /** @throws ReeveError `secret_unresolved` before the generation it belongs to is prepared. */
  reveal(): string {
    if (this.#content !== undefined) return this.#content;
    throw new ReeveError(
      "secret_unresolved",
      `The secret ${this.references.map((each) => `"${each}"`).join(", ")} has not been read yet.`,
      { help: "Secrets can be revealed from `prepare` on, not while a configuration is checked." },
    );
  }

  equals(candidate: string | Uint8Array): boolean {
    const own = this.#digest ?? digest(this.reveal());
    return timingSafeEqual(own, digest(candidate));
  }

  /** Whether both hold the same text; `undefined` where one of them is not resolved. */
  sameContentAs(other: SecretValue): boolean | undefined {
    if (!this.#digest || !other.#digest) return undefined;
    return timingSafeEqual(this.#digest, other.#digest);
  }

  toString(): "(secret)" {
    return MASK;
  }

  toJSON(): "(secret)" {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }
}
