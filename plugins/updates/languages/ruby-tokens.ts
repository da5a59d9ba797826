/** Tokens of Ruby source, as far as Gemfiles and gemspecs need them: strings with ranges, ends of statements. Runs no code. */
import type { TextRange } from "../text/text.js";

export interface RubyToken {
  readonly kind: "word" | "text" | "texts" | "symbol" | "label" | "sign" | "newline";
  /** The word or sign, the name of a symbol or label, the content of a string. */
  readonly text: string;
  /** Of the whole token; of a string, the part between the quotes. */
  readonly range: TextRange;
  /** `%w[a b]`, `%i[a b]`. */
  readonly items?: readonly { readonly text: string; readonly range: TextRange }[];
  /** The string has an interpolation or an escape. */
  readonly computed?: boolean;
  /** The opening quote of a string: `"`, `'`, `<`. */
  readonly quote?: string;
}

const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const SPACE = /[ \t\r\f\v]+|\\\r?\n/y;
const COMMENT = /#[^\n]*/y;
const BLOCK_COMMENT = /^=begin\b[\s\S]*?^=end\b[^\n]*/my;
const WORD = /[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*[?!]?/y;
const SYMBOL = /:([A-Za-z_]\w*[?!=]?)/y;
const NUMBER = /\d[\w.]*/y;
const HEREDOC = /<<[~-]?(["'`]?)([A-Z_]\w*)\1/y;
const PERCENT = /%([wWiIqQ]?)([([{<|!/])/y;
const SIGN = /=>|::|&\.|&&|\|\||[<>=!~]=|=~|<<|\.\.\.?|->|[^\s\w]/y;

export function rubyTokens(source: string): readonly RubyToken[] {
  return new Lexer(source).all();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: RubyToken[] = [];
  /** Terminators of the heredocs that start after this line. */
  readonly #heredocs: string[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    if (source.startsWith("\uFEFF")) this.#at = 1;
  }

  all(): readonly RubyToken[] {
    while (this.#at < this.#source.length) {
      if (
        this.#startsLine() &&
        /^__END__\r?(\n|$)/.test(this.#source.slice(this.#at, this.#at + 10))
      )
        break;
      this.#next();
    }
    return this.#tokens;
  }

  #next(): void {
    const start = this.#at;
    const char = this.#source[start] ?? "";
    if (char === "\n") this.#newline();
    else if (this.#match(SPACE) || this.#match(COMMENT) || this.#blockComment(char)) return;
    else if (this.#heredoc(start) || this.#literal(char, start)) return;
    else this.#plain(char, start);
  }

  #blockComment(char: string): boolean {
    return char === "=" && this.#startsLine() && this.#match(BLOCK_COMMENT) !== undefined;
  }

  #heredoc(start: number): boolean {
    const heredoc = this.#match(HEREDOC);
    if (!heredoc) return false;
    this.#heredocs.push(heredoc[2] ?? "");
    this.#push("text", "", start, { computed: true });
    return true;
  }

  /** Strings, symbols, and regular expressions in quotes of any kind. */
  #literal(char: string, start: number): boolean {
    if (char === '"' || char === "'" || char === "`") {
      this.#quoted(char, start);
      return true;
    }
    if (char === ":" && this.#source[start + 1] === '"') {
      this.#at = start + 1;
      this.#quoted('"', start, "symbol");
      return true;
    }
    if (!/[%/]/.test(char) || !this.#startsValue()) return false;
    const percent = this.#match(PERCENT);
    if (percent) this.#percent(percent[1] ?? "", percent[2] ?? "", start);
    else if (char === "/") this.#regularExpression(start);
    else return false;
    return true;
  }

  #plain(char: string, start: number): void {
    const symbol = char === ":" ? this.#match(SYMBOL) : undefined;
    const word = symbol ? undefined : this.#match(WORD);
    if (symbol) this.#push("symbol", symbol[1] ?? "", start);
    else if (word) this.#word(word[0], start);
    else if (this.#match(NUMBER)) this.#push("word", this.#source.slice(start, this.#at), start);
    else {
      if (!this.#match(SIGN)) this.#at += 1;
      this.#push("sign", this.#source.slice(start, this.#at), start);
    }
  }

  #word(word: string, start: number): void {
    const isLabel = this.#source[this.#at] === ":" && this.#source[this.#at + 1] !== ":";
    if (isLabel) this.#at += 1;
    this.#push(isLabel ? "label" : "word", word, start);
  }

  #newline(): void {
    this.#push("newline", "\n", this.#at, {}, this.#at + 1);
    this.#at += 1;
    for (const end of this.#heredocs.splice(0)) {
      const closing = new RegExp(`^[ \\t]*${end}\\r?$`, "m");
      const found = closing.exec(this.#source.slice(this.#at));
      this.#at = found ? this.#at + found.index + found[0].length : this.#source.length;
    }
  }

  #quoted(quote: string, start: number, kind: "text" | "symbol" = "text"): void {
    this.#at += 1;
    const { text, range, computed } = this.#until(quote, undefined, quote !== "'");
    const isLabel =
      kind === "text" && this.#source[this.#at] === ":" && this.#source[this.#at + 1] !== ":";
    if (isLabel && this.#startsArgument()) {
      this.#at += 1;
      this.#push("label", text, start);
    } else
      this.#tokens.push({
        ...{ kind, text, range, quote },
        ...(computed || quote === "`" ? { computed: true } : {}),
      });
  }

  #percent(letter: string, open: string, start: number): void {
    const close = PAIRS[open] ?? open;
    const { text, range, computed } = this.#until(
      close,
      close === open ? undefined : open,
      !/[qwi]/.test(letter),
    );
    if (!/[wi]/i.test(letter)) {
      this.#tokens.push({
        kind: "text",
        text,
        range,
        quote: open,
        ...(computed ? { computed } : {}),
      });
      return;
    }
    const items = [...this.#source.slice(range.start, range.end).matchAll(/\S+/g)].map(
      ({ 0: item, index }) => ({
        text: item,
        range: { start: range.start + index, end: range.start + index + item.length },
      }),
    );
    this.#push("texts", "", start, { items, ...(computed ? { computed } : {}) });
  }

  #regularExpression(start: number): void {
    this.#at += 1;
    this.#until("/", undefined, true);
    this.#push("text", "", start, { computed: true });
  }

  /** Reads to `close` and skips it; reads to the end where there is none. */
  #until(close: string, open: string | undefined, interpolates: boolean) {
    const start = this.#at;
    let depth = 1;
    let computed = false;
    for (; this.#at < this.#source.length; this.#at += 1) {
      const char = this.#source[this.#at];
      if (char === "\\") {
        computed = true;
        this.#at += 1;
      } else if (interpolates && char === "#" && this.#source[this.#at + 1] === "{") {
        computed = true;
        this.#interpolation();
      } else if (char === open) depth += 1;
      else if (char === close) depth -= 1;
      if (depth === 0) break;
    }
    const end = Math.min(this.#at, this.#source.length);
    this.#at = end + 1;
    return { text: this.#source.slice(start, end), range: { start, end }, computed };
  }

  /** Skips to the brace that closes `#{`. */
  #interpolation(): void {
    let depth = 0;
    for (; this.#at < this.#source.length; this.#at += 1) {
      if (this.#source[this.#at] === "{") depth += 1;
      if (this.#source[this.#at] === "}") depth -= 1;
      if (depth === 0 && this.#source[this.#at] === "}") return;
    }
  }

  /** Where a value may start, `/` opens a regular expression and `%` a string; elsewhere they are operators. */
  #startsValue(): boolean {
    const last = this.#tokens.at(-1);
    if (!last || last.kind === "newline" || last.kind === "label") return true;
    if (last.kind === "sign") return !/^[)\]}]$/.test(last.text);
    const before = this.#source[this.#at - 1] ?? "";
    const after = this.#source[this.#at + 1] ?? "";
    return last.kind === "word" && /\s/.test(before) && !/\s/.test(after);
  }

  /** `{ "a": 1 }`, `gem "x", "git": y`, not `a ? "b":c`. */
  #startsArgument(): boolean {
    const last = this.#tokens.at(-1);
    return last?.kind === "sign" && /^[,({]$/.test(last.text);
  }

  #startsLine(): boolean {
    return this.#at === 0 || this.#source[this.#at - 1] === "\n";
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #push(
    kind: RubyToken["kind"],
    text: string,
    start: number,
    more: Pick<RubyToken, "items" | "computed"> = {},
    end = this.#at,
  ): void {
    this.#tokens.push({ kind, text, range: { start, end }, ...more });
  }
}
