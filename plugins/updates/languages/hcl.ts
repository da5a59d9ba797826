/** HCL with source ranges: blocks, attributes, strings, objects and lists. Skips expressions. */
import { UpdatesError } from "../errors.js";
import type { TextRange } from "../text/text.js";
import { type HclToken, hclTokens } from "./hcl-tokens.js";

interface HclText {
  readonly kind: "text";
  readonly value: string;
  /** Between the quotes. */
  readonly range: TextRange;
  /** No escapes, so offsets in the value are offsets in the range. */
  readonly isPlain: boolean;
}
interface HclObject {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, HclValue>;
}
export type HclValue =
  | HclText
  | HclObject
  | { readonly kind: "list"; readonly items: readonly HclValue[]; readonly range: TextRange }
  /** `local.version`, also as `"${local.version}"`. */
  | { readonly kind: "reference"; readonly path: string }
  /** Another expression, or a string with an interpolation. */
  | { readonly kind: "other" };

/** Names with dots between them. */
const REFERENCE = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_-]*)+$/u;

/** The value of an expression, or of the text between the quotes of a string with an interpolation. */
export function hclReference(text: string): HclValue {
  const path = /^\$\{(.*)\}$/s.exec(text)?.[1]?.trim() ?? text;
  return REFERENCE.test(path) ? { kind: "reference", path } : { kind: "other" };
}

export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly body: HclBody;
}
export interface HclBody {
  readonly attributes: ReadonlyMap<string, HclValue>;
  readonly blocks: readonly HclBlock[];
}

const MAX_DEPTH = 100;

/** @throws UpdatesError `manifest_unreadable` */
export function readHcl(file: string, text: string): HclBody {
  return new Reader(file, text).body(0);
}

class Reader {
  readonly #file: string;
  readonly #text: string;
  readonly #tokens: readonly HclToken[];
  #at = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    this.#tokens = hclTokens(text, (start, what) => this.#error(start, what));
  }

  body(depth: number): HclBody {
    const attributes = new Map<string, HclValue>();
    const blocks: HclBlock[] = [];
    for (;;) {
      this.#newlines();
      const token = this.#tokens[this.#at];
      if (!token || (token.kind === "}" && depth > 0)) break;
      if (token.kind !== "word")
        throw this.#error(token.start, `${this.#shown(token)} starts no block or attribute`);
      this.#at += 1;
      if (this.#peek("=")) {
        this.#at += 1;
        attributes.set(token.value, this.#expression(depth));
      } else blocks.push(this.#block(token, depth));
    }
    return { attributes, blocks };
  }

  #block(type: HclToken, depth: number): HclBlock {
    if (depth > MAX_DEPTH) throw this.#error(type.start, "blocks are nested too deeply");
    const labels: string[] = [];
    for (;;) {
      const token = this.#next(type);
      if (token.kind === "word" || token.kind === "text") labels.push(token.value);
      else if (token.kind === "{") break;
      else throw this.#error(token.start, `${this.#shown(token)} is not a block label`);
    }
    const body = this.body(depth + 1);
    this.#expect("}", type);
    return { type: type.value, labels, body };
  }

  /** Skips to the end of the line, outside brackets. */
  #expression(depth: number): HclValue {
    if (depth > MAX_DEPTH) return this.#passed();
    const first = this.#tokens[this.#at];
    if (!first) return { kind: "other" };
    const value = this.#simple(first, depth);
    const next = this.#tokens[this.#at];
    if (value && (!next || ["newline", ",", "}", "]"].includes(next.kind))) return value;
    const skipped = this.#passed();
    const last = this.#tokens[this.#at - 1];
    return value || !last ? skipped : hclReference(this.#text.slice(first.start, last.end));
  }

  #simple(first: HclToken, depth: number): HclValue | undefined {
    if (first.kind === "text") {
      this.#at += 1;
      const range = { start: first.start + 1, end: first.end - 1 };
      return first.plain
        ? { kind: "text", value: first.value, range, isPlain: true }
        : hclReference(first.value);
    }
    if (first.kind === "{") return this.#object(depth);
    return first.kind === "[" ? this.#list(first, depth) : undefined;
  }

  #object(depth: number): HclValue | undefined {
    const start = this.#at;
    this.#at += 1;
    const members = new Map<string, HclValue>();
    for (;;) {
      this.#newlines(",");
      const key = this.#tokens[this.#at];
      this.#at += 1;
      if (key?.kind === "}") return { kind: "object", members };
      const sign = this.#tokens[this.#at]?.kind;
      if (!key || !["word", "text"].includes(key.kind) || (sign !== "=" && sign !== ":")) {
        // A comprehension, a computed key: an expression.
        this.#at = start;
        return undefined;
      }
      this.#at += 1;
      members.set(key.value, this.#expression(depth + 1));
    }
  }

  #list(open: HclToken, depth: number): HclValue | undefined {
    const start = this.#at;
    this.#at += 1;
    const items: HclValue[] = [];
    for (;;) {
      this.#newlines(",");
      const token = this.#tokens[this.#at];
      if (!token || (token.kind === "word" && token.value === "for")) {
        this.#at = start;
        return undefined;
      }
      if (token.kind === "]") {
        this.#at += 1;
        return { kind: "list", items, range: { start: open.start, end: token.end } };
      }
      items.push(this.#expression(depth + 1));
    }
  }

  /** Skips an unknown expression. */
  #passed(): HclValue {
    let depth = 0;
    for (let token = this.#tokens[this.#at]; token; token = this.#tokens[this.#at]) {
      if (depth === 0 && ["newline", ",", "}", "]", ")"].includes(token.kind)) break;
      if (["{", "[", "("].includes(token.kind)) depth += 1;
      if (["}", "]", ")"].includes(token.kind)) depth -= 1;
      this.#at += 1;
    }
    // Always advances, even at an unmatched closing bracket.
    if (this.#tokens[this.#at]?.kind === ")") this.#at += 1;
    return { kind: "other" };
  }

  #newlines(more?: string): void {
    for (;;) {
      const kind = this.#tokens[this.#at]?.kind;
      if (kind !== "newline" && (more === undefined || kind !== more)) return;
      this.#at += 1;
    }
  }

  #peek(kind: HclToken["kind"]): boolean {
    return this.#tokens[this.#at]?.kind === kind;
  }

  #next(near: HclToken): HclToken {
    const token = this.#tokens[this.#at];
    if (!token) throw this.#error(near.start, `${near.value} is not closed`);
    this.#at += 1;
    return token;
  }

  #expect(kind: HclToken["kind"], near: HclToken): void {
    if (this.#next(near).kind !== kind)
      throw this.#error(near.start, `${near.value} is not closed`);
  }

  #shown({ start, end }: HclToken): string {
    return this.#text.slice(start, Math.min(end, start + 20)).trim() || "the end of a line";
  }

  #error(start: number, what: string): UpdatesError {
    const line = this.#text.slice(0, start).split("\n").length;
    return new UpdatesError("manifest_unreadable", `${this.#file}:${line} is not HCL: ${what}.`);
  }
}
