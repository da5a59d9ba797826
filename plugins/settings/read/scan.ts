/** Splits a settings file into tokens. Reports invalid tokens and continues with the probable meaning. */
import type { JsonDialect } from "./dialect.js";
import type { TextSpan } from "./finding.js";
import { readNumberToken, readWord } from "./literals.js";
import { readString } from "./strings.js";
import { type JsonToken, type ReportFinding, SYNTAX } from "./token.js";

const SPACE: Readonly<Record<JsonDialect, RegExp>> = {
  json: /[ \t\n\r]*/y,
  jsonc: /[ \t\n\r]*/y,
  json5: /[\s\u2028\u2029\ufeff]*/y,
};
const PUNCTUATION = /[{}[\]:,]/;
/** Runs that make no sense as a whole are one fault, not one a character. */
const NONSENSE = /[^\s{}[\]:,"'/]+/y;

export class Scanner {
  readonly #text: string;
  readonly #dialect: JsonDialect;
  readonly #note: ReportFinding;
  #at = 0;
  #saidComment = false;
  #next: JsonToken | undefined;

  constructor(text: string, dialect: JsonDialect, note: ReportFinding) {
    this.#text = text;
    this.#dialect = dialect;
    this.#note = note;
  }

  /** The token ahead; it stays there. */
  get peek(): JsonToken {
    this.#next ??= this.#read();
    return this.#next;
  }

  take(): JsonToken {
    const token = this.peek;
    this.#next = undefined;
    return token;
  }

  #read(): JsonToken {
    for (;;) {
      this.#skipSpace();
      const start = this.#at;
      const sign = this.#text[start];
      if (sign === undefined) return { kind: "end", start, end: start };
      if (sign === "/" && this.#skipComment()) continue;
      if (PUNCTUATION.test(sign)) {
        this.#at += 1;
        return { kind: sign as ",", start, end: this.#at };
      }
      if (sign === '"' || sign === "'") return this.#string();
      const literal =
        readNumberToken(this.#text, start, this.#dialect, this.#note) ??
        readWord(this.#text, start);
      if (literal) {
        this.#at = literal.end;
        return literal;
      }
      this.#skipNonsense();
    }
  }

  #string(): JsonToken {
    const token = readString(this.#text, this.#at, this.#dialect, this.#note);
    this.#at = token.end;
    return token;
  }

  #skipSpace(): void {
    const space = SPACE[this.#dialect];
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  /** Whether there was one. */
  #skipComment(): boolean {
    const start = this.#at;
    const kind = this.#text.slice(start, start + 2);
    if (kind !== "//" && kind !== "/*") return false;
    const stop = kind === "//" ? /[\n\r\u2028\u2029]|$/g : /\*\//g;
    stop.lastIndex = start + 2;
    const found = stop.exec(this.#text);
    this.#at = found ? (kind === "//" ? found.index : stop.lastIndex) : this.#text.length;
    if (!found) this.#fault("this comment is never closed", { start, end: start + 2 });
    if (this.#dialect === "json" && !this.#saidComment) {
      this.#saidComment = true;
      this.#note({
        code: "comment",
        message: "JSON has no comments",
        span: { start, end: this.#at },
        help: "Call the file `.jsonc` or `.json5`, or set `dialect`.",
      });
    }
    return true;
  }

  #skipNonsense(): void {
    const start = this.#at;
    NONSENSE.lastIndex = start;
    this.#at = start + (NONSENSE.exec(this.#text)?.[0].length ?? 1);
    const isMark = this.#text[start] === "\ufeff";
    this.#fault(
      isMark ? "a byte order mark has no place in JSON" : "this is no part of JSON",
      { start, end: this.#at },
      isMark ? "Save the file as UTF-8 without a byte order mark." : undefined,
    );
  }

  #fault(message: string, span: TextSpan, help?: string): void {
    this.#note({ code: SYNTAX, message, span, ...(help === undefined ? {} : { help }) });
  }
}
