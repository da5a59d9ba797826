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

/** What a check has against a value, or against a part of it. */
export interface Fault {
  /** From the value to the part: names, and indexes of lists. Empty for the value itself. */
  readonly path: ReadonlyArray<string | number>;
  /** One sentence. */
  readonly message: string;
}

/** The checks of the parts of a value: the elements of a list, the values of a map. */
type PartCheck = (value: never) => Promise<Fault | undefined>;

export class Attribute<T> {
  /** Only for the type system: the type of the evaluated value. */
  declare readonly value: T;
  readonly #parts: Parts;
  readonly #checks: ReadonlyArray<Check<never>>;
  readonly #ofParts: PartCheck | undefined;

  constructor(parts: Parts, checks: ReadonlyArray<Check<never>> = [], ofParts?: PartCheck) {
    this.#parts = parts;
    this.#checks = checks;
    this.#ofParts = ofParts;
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
    return new Attribute(this.#parts, [...this.#checks, check as Check<never>], this.#ofParts);
  }

  /** @internal The data the host reads. */
  descriptor(fallback: ReloadClass): AttributeDescriptor {
    const { reload, ...rest } = this.#parts;
    return {
      ...rest,
      reload: reload ?? fallback,
      ...(this.isChecked ? { checked: true } : {}),
    };
  }

  /** @internal Whether it or one of its parts has a check. */
  get isChecked(): boolean {
    return this.#checks.length > 0 || this.#ofParts !== undefined;
  }

  /** @internal The first fault that the checks find in a value that is present; those of its parts run first. */
  async fault(value: unknown): Promise<Fault | undefined> {
    const fault = await this.#ofParts?.(value as never);
    if (fault !== undefined) return fault;
    for (const check of this.#checks) {
      const message = await check(value as never);
      if (message !== undefined) return { path: [], message };
    }
    return undefined;
  }

  /** @internal The bare type, for lists and maps of this attribute's kind. */
  get type(): TypeDescriptor {
    return this.#parts.type;
  }

  // biome-ignore lint/suspicious/noExplicitAny: every public method states its own type.
  #with(change: Partial<Parts>): Attribute<any> {
    return new Attribute({ ...this.#parts, ...change }, this.#checks, this.#ofParts);
  }
}

/** @internal A type whose parts may have checks. `partsOf`: the parts of a value, each with its name and its description. */
export function composed<T, Value>(
  type: TypeDescriptor,
  partsOf: (value: Value) => ReadonlyArray<readonly [string | number, Attribute<unknown>, unknown]>,
  described: ReadonlyArray<Attribute<unknown>>,
): Attribute<T> {
  if (!described.some(({ isChecked }) => isChecked))
    return new Attribute<T>({ type, required: true });
  const ofParts = async (value: Value): Promise<Fault | undefined> => {
    for (const [name, attribute, part] of partsOf(value)) {
      if (part === undefined || part === null) continue;
      const fault = await attribute.fault(part);
      if (fault !== undefined) return { ...fault, path: [name, ...fault.path] };
    }
    return undefined;
  };
  return new Attribute<T>({ type, required: true }, [], ofParts);
}

/** @internal @throws TypeError for an attribute with a check where none can run */
export function unchecked({ isChecked, type }: Attribute<unknown>, what: string): TypeDescriptor {
  if (!isChecked) return type;
  throw new TypeError(`The check of ${what} would never run: put it on the attribute.`);
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
