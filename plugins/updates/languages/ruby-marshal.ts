/** Ruby's own format for values (Marshal 4.8), as old gem servers answer in it. Objects become plain data; no class is made. */

/** An object: its class, what it holds by name, and what it was dumped as by itself. */
export interface RubyObject {
  readonly class: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of classes that dump themselves: the value or the bytes they gave. */
  readonly dumped?: unknown;
}

/** Symbols and texts become texts. @throws Error for what is not in the format, or uses parts of it that gem servers do not */
export function readMarshal(bytes: Uint8Array): unknown {
  if (bytes[0] !== 4 || bytes[1] !== 8) throw new Error("This is not Marshal 4.8.");
  return new Reader(bytes).value();
}

const MOST_NESTED = 200;

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
    if (this.#depth > MOST_NESTED) throw new Error("Too deep.");
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
        throw new Error(`Values of type ${JSON.stringify(type)} are not read.`);
    }
  }

  #kept<Value>(value: Value): Value {
    this.#objects.push(value);
    return value;
  }

  /** An encoding, or what else a text or a dump carries with it: of no interest here. */
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
    if (type !== ":") throw new Error("A name was to come here.");
    const name = new TextDecoder().decode(this.#chunk());
    this.#symbols.push(name);
    return name;
  }

  #chunk(): Uint8Array {
    const length = this.#count();
    const chunk = this.#bytes.subarray(this.#at, this.#at + length);
    if (chunk.length < length) throw new Error("It ends too early.");
    this.#at += length;
    return chunk;
  }

  /** How many are to come: never more than there are bytes left. */
  #count(): number {
    const count = this.#number();
    if (count < 0 || count > this.#bytes.length - this.#at) throw new Error("It ends too early.");
    return count;
  }

  #number(): number {
    const first = (this.#byte() << 24) >> 24;
    if (first === 0) return 0;
    if (first > 4) return first - 5;
    if (first < -4) return first + 5;
    let value = first < 0 ? -1 : 0;
    for (let place = 0; place < Math.abs(first); place += 1) {
      value &= ~(0xff << (8 * place));
      value |= this.#byte() << (8 * place);
    }
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error("It ends too early.");
    this.#at += 1;
    return byte;
  }
}
