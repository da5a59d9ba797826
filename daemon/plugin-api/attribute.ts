/**
 * One attribute's description: what it accepts, its default, its page in the reference, what a change of it means.
 * Immutable: every method returns a new attribute.
 */
import type {
  AttributeDescriptor,
  Deprecation,
  ReloadClass,
  TypeDescriptor,
} from "./descriptor.js";

/** Checks more than the type can. Returns the error in one sentence, or nothing. */
export type Check<T> = (value: T) => string | undefined | Promise<string | undefined>;

/** What an attribute carries besides its descriptor: code, which stays in the plugin's process. */
interface Parts {
  readonly type: TypeDescriptor;
  readonly required: boolean;
  readonly default?: string;
  readonly doc?: string;
  readonly examples?: readonly string[];
  readonly reload?: ReloadClass;
  readonly deprecated?: Deprecation;
  readonly removed?: Deprecation;
}

export class Attribute<T> {
  /** Only for the type system: the type of the evaluated value. */
  declare readonly value: T;
  readonly #parts: Parts;
  readonly #checks: ReadonlyArray<Check<never>>;

  constructor(parts: Parts, checks: ReadonlyArray<Check<never>> = []) {
    this.#parts = parts;
    this.#checks = checks;
  }

  /** May be left out; the value is `undefined` then. */
  optional(): Attribute<T | undefined> {
    return this.#with({ required: false });
  }

  /** May be left out; `text` is a constant expression in the language: `"1m"`, `'["POST"]'`, `'"/"'`. */
  default(text: string): Attribute<NonNullable<T>> {
    return this.#with({ required: false, default: text });
  }

  /** Markdown, first sentence complete in itself. */
  doc(text: string): Attribute<T> {
    return this.#with({ doc: text });
  }

  /** A constant expression in the language. */
  example(text: string): Attribute<T> {
    return this.#with({ examples: [...(this.#parts.examples ?? []), text] });
  }

  /** What a change of this attribute asks for, where it differs from the block's. */
  reload(reload: ReloadClass): Attribute<T> {
    return this.#with({ reload });
  }

  /** Still works, with a warning. */
  deprecated(deprecation: Deprecation): Attribute<T> {
    return this.#with({ deprecated: deprecation });
  }

  /** Works no more; the message says what to use instead. */
  removed(deprecation: Deprecation): Attribute<undefined> {
    return this.#with({ removed: deprecation, required: false });
  }

  /** A check that its type cannot express. Runs after all declared rules hold, where the plugin runs. */
  check(check: Check<NonNullable<T>>): Attribute<T> {
    return new Attribute(this.#parts, [...this.#checks, check as Check<never>]);
  }

  /** @internal The data the host reads. */
  descriptor(fallback: ReloadClass): AttributeDescriptor {
    const { reload, ...rest } = this.#parts;
    return {
      ...rest,
      reload: reload ?? fallback,
      ...(this.#checks.length > 0 ? { checked: true } : {}),
    };
  }

  /** @internal Runs the checks on a value that is present. */
  async refusal(value: unknown): Promise<string | undefined> {
    for (const check of this.#checks) {
      const refusal = await check(value as never);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** @internal The bare type, for lists and maps of this attribute's kind. */
  get type(): TypeDescriptor {
    return this.#parts.type;
  }

  // biome-ignore lint/suspicious/noExplicitAny: every public method states its own type.
  #with(change: Partial<Parts>): Attribute<any> {
    return new Attribute({ ...this.#parts, ...change }, this.#checks);
  }
}

/** Text with rules of its own. */
export class StringAttribute<T extends string = string> extends Attribute<T> {
  readonly #rules: Extract<TypeDescriptor, { type: "string" }>;

  constructor(rules: Extract<TypeDescriptor, { type: "string" }> = { type: "string" }) {
    super({ type: rules, required: true });
    this.#rules = rules;
  }

  /** An RE2 pattern that must match somewhere in the value; `meaning` is what the message says: "a path starting with `/`". */
  pattern(source: string, meaning: string): StringAttribute<T> {
    return new StringAttribute({ ...this.#rules, pattern: source, patternMeaning: meaning });
  }
  /** Length in UTF-16 units. */
  min(length: number): StringAttribute<T> {
    return new StringAttribute({ ...this.#rules, minLength: length });
  }
  max(length: number): StringAttribute<T> {
    return new StringAttribute({ ...this.#rules, maxLength: length });
  }
}

type Bounded = Extract<TypeDescriptor, { type: "number" | "duration" | "size" | "percent" }>;

/** A number, duration, size or ratio between bounds. */
export class BoundedAttribute<T> extends Attribute<T> {
  readonly #rules: Bounded;

  constructor(rules: Bounded) {
    super({ type: rules, required: true });
    this.#rules = rules;
  }

  /** Smallest value allowed, in the value's own unit (milliseconds, bytes, 0..1). */
  min(minimum: number): BoundedAttribute<T> {
    return new BoundedAttribute({ ...this.#rules, minimum });
  }
  max(maximum: number): BoundedAttribute<T> {
    return new BoundedAttribute({ ...this.#rules, maximum });
  }
}
