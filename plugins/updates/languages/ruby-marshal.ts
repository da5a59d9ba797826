/** Ruby's Marshal 4.8, the format of old gem servers. Objects become plain data; no class is instantiated. */

/** An object with its class, instance variables and custom dump. */
export interface RubyObject {
  readonly class: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The value or the bytes of a class with its own dump method. */
  readonly dumped?: unknown;
}

/** Symbols and strings become strings. @throws Error for invalid data, and for parts of the format that gem servers do not use */
export function readMarshal(bytes: Uint8Array): unknown {
  if (bytes[0] !== 4 || bytes[1] !== 8) throw new Error("This is not Marshal 4.8.");
  return new Reader(bytes).value();
}

const MAX_DEPTH = 200;

class Reader {
  readonly #bytes: Uint8Array;
  readonly #symbols: string[] = [];
  readonly #objects: unknown[] = [];
  #at = 2;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  value(): unknown {
    if (this.#depth > MAX_DEPTH) throw new Error("The data is nested too deeply.");
    this.#depth += 1;
    const value = this.#value(String.fromCharCode(this.#byte()));
    this.#depth -= 1;
    return value;
  }

  #value(type: string): unknown {
    switch (type) {
      case "0":
        return undefined;
      case "T":
        return true;
      case "F":
        return false;
      case "i":
        return this.#number();
      case ":":
      case ";":
        return this.#symbol(type);
      case "@":
        return this.#objects[this.#number()];
      case "I":
        return this.#withFields();
      case '"':
        return this.#kept(new TextDecoder().decode(this.#chunk()));
      case "[":
        return this.#list();
      case "{":
        return this.#hash();
      case "o":
      case "U":
      case "u":
        return this.#object(type);
      default:
        throw new Error(`Values of type ${JSON.stringify(type)} are not supported.`);
    }
  }

  #kept<Value>(value: Value): Value {
    this.#objects.push(value);
    return value;
  }

  /** Skips the encoding and other instance variables of a string or a dump. */
  #withFields(): unknown {
    const value = this.value();
    this.#fields();
    return value;
  }

  #list(): unknown[] {
    const list: unknown[] = this.#kept([]);
    for (let left = this.#count(); left > 0; left -= 1) list.push(this.value());
    return list;
  }

  #hash(): ReadonlyMap<unknown, unknown> {
    const hash = this.#kept(new Map<unknown, unknown>());
    for (let left = this.#count(); left > 0; left -= 1) hash.set(this.value(), this.value());
    return hash;
  }

  #object(type: string): RubyObject {
    const name = this.#name();
    const object = {
      class: name,
      fields: {} as Record<string, unknown>,
      dumped: undefined as unknown,
    };
    if (type === "u") object.dumped = this.#chunk();
    this.#kept(object);
    if (type === "U") object.dumped = this.value();
    if (type === "o") Object.assign(object.fields, this.#fields());
    return object;
  }

  #fields(): Record<string, unknown> {
    const fields: [string, unknown][] = [];
    for (let left = this.#count(); left > 0; left -= 1) fields.push([this.#name(), this.value()]);
    return Object.fromEntries(fields);
  }

  #name(): string {
    return this.#symbol(String.fromCharCode(this.#byte()));
  }

  #symbol(type: string): string {
    if (type === ";") return this.#symbols[this.#number()] ?? "";
    if (type === "I") {
      const name = this.#name();
      this.#fields();
      return name;
    }
    if (type !== ":") throw new Error("A name is missing.");
    const name = new TextDecoder().decode(this.#chunk());
    this.#symbols.push(name);
    return name;
  }

  #chunk(): Uint8Array {
    const length = this.#count();
    const chunk = this.#bytes.subarray(this.#at, this.#at + length);
    if (chunk.length < length) throw new Error("The data ends too early.");
    this.#at += length;
    return chunk;
  }

  /** A count of items, at most the number of bytes left. */
  #count(): number {
    const count = this.#number();
    if (count < 0 || count > this.#bytes.length - this.#at)
      throw new Error("The data ends too early.");
    return count;
  }

  #number(): number {
    const first = (this.#byte() << 24) >> 24;
    if (first === 0) return 0;
    if (first > 4) return first - 5;
    if (first < -4) return first + 5;
    let value = first < 0 ? -1 : 0;
    for (let index = 0; index < Math.abs(first); index += 1) {
      value &= ~(0xff << (8 * index));
      value |= this.#byte() << (8 * index);
    }
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error("The data ends too early.");
    this.#at += 1;
    return byte;
  }
}
