/** Why JSON text cannot be used, in the words of Go's `encoding/json`, which the existing server writes to its log. */
import { goCharacter } from "../go-text.js";

/** The first fault of the first value; `undefined`: it is an object or `null`. `list`: a list is expected. */
export function jsonFault(text: string, list = false): string | undefined {
  const scan = new JsonScan(Buffer.from(text).toString("latin1"));
  try {
    const kind = scan.value("looking for beginning of value");
    if (list || kind === "object" || kind === "null") return undefined;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return thrown.message;
  }
}

class Fault extends Error {}

/** Deeper text is refused before it is scanned. */
const MAX_DEPTH = 1000;

class JsonScan {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  /** `text`: one character a byte. */
  constructor(text: string) {
    this.#text = text;
  }

  /** @throws Fault */
  value(where: string): "object" | "array" | "string" | "number" | "bool" | "null" {
    const first = this.#next();
    if (first === "{") return this.#nested(() => this.#object());
    if (first === "[") return this.#nested(() => this.#array());
    if (first === '"') return this.#string();
    if (first === "t") return this.#literal("true", "bool");
    if (first === "f") return this.#literal("false", "bool");
    if (first === "n") return this.#literal("null", "null");
    if (first === "-" || isDigit(first)) return this.#number(first);
    throw bad(first, where);
  }

  #nested<Kind>(read: () => Kind): Kind {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Fault("exceeded max depth");
    const kind = read();
    this.#depth -= 1;
    return kind;
  }

  #object(): "object" {
    if (this.#peek() === "}") return this.#taken("object");
    for (;;) {
      const quote = this.#next();
      if (quote !== '"') throw bad(quote, "looking for beginning of object key string");
      this.#string();
      const colon = this.#next();
      if (colon !== ":") throw bad(colon, "after object key");
      this.value("looking for beginning of value");
      const end = this.#next();
      if (end === "}") return "object";
      if (end !== ",") throw bad(end, "after object key:value pair");
    }
  }

  #array(): "array" {
    if (this.#peek() === "]") return this.#taken("array");
    for (;;) {
      this.value("looking for beginning of value");
      const end = this.#next();
      if (end === "]") return "array";
      if (end !== ",") throw bad(end, "after array element");
    }
  }

  #string(): "string" {
    for (;;) {
      const character = this.#byte();
      if (character === '"') return "string";
      if (character < " ") throw bad(character, "in string literal");
      if (character !== "\\") continue;
      const escaped = this.#byte();
      if (escaped === "u") {
        for (let count = 0; count < 4; count += 1) {
          const digit = this.#byte();
          if (!/[0-9A-Fa-f]/.test(digit)) throw bad(digit, "in \\u hexadecimal character escape");
        }
      } else if (!'bfnrt\\/"'.includes(escaped)) throw bad(escaped, "in string escape code");
    }
  }

  #literal<Kind>(word: string, kind: Kind): Kind {
    for (const wanted of word.slice(1)) {
      const character = this.#byte();
      if (character !== wanted) throw bad(character, `in literal ${word} (expecting '${wanted}')`);
    }
    return kind;
  }

  #number(first: string): "number" {
    let digit = first;
    if (first === "-") {
      digit = this.#byte();
      if (!isDigit(digit)) throw bad(digit, "in numeric literal");
    }
    if (digit !== "0") this.#digits();
    if (this.#text[this.#at] === ".") {
      this.#at += 1;
      this.#digit("after decimal point in numeric literal");
      this.#digits();
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at += 1;
      if (/[+-]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
      this.#digit("in exponent of numeric literal");
      this.#digits();
    }
    return "number";
  }

  #digit(where: string): void {
    const digit = this.#byte();
    if (!isDigit(digit)) throw bad(digit, where);
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  /** The next byte that is no blank; not consumed. */
  #peek(): string {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    return this.#text[this.#at] ?? "";
  }

  #next(): string {
    this.#peek();
    return this.#byte();
  }

  #byte(): string {
    const character = this.#text[this.#at];
    if (character === undefined)
      throw new Fault(/[^ \t\r\n]/.test(this.#text) ? "unexpected EOF" : "EOF");
    this.#at += 1;
    return character;
  }

  #taken<Kind>(kind: Kind): Kind {
    this.#at += 1;
    return kind;
  }
}

const isDigit = (character: string): boolean => character >= "0" && character <= "9";

const bad = (character: string, where: string): Fault =>
  new Fault(`invalid character ${goCharacter(character)} ${where}`);
