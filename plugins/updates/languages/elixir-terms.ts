/** Literal terms of Elixir source, with ranges: lists, tuples, maps, atoms, strings. Runs no code. */
import type { TextRange } from "../text/text.js";

export type ElixirTerm =
  | { readonly kind: "text" | "atom"; readonly value: string; readonly range: TextRange }
  | {
      readonly kind: "tuple" | "list";
      readonly items: readonly ElixirTerm[];
      readonly range: TextRange;
    }
  /** `only: :test` in a list or tuple, `"name": …` in a map. */
  | {
      readonly kind: "pair";
      readonly key: string;
      readonly value: ElixirTerm;
      readonly range: TextRange;
    }
  /** An expression, whose value only running it gives. */
  | { readonly kind: "code"; readonly text: string; readonly range: TextRange };

interface ElixirToken {
  readonly kind: "text" | "atom" | "key" | "word" | "words" | "sign" | "open" | "close";
  readonly text: string;
  readonly range: TextRange;
  readonly computed?: boolean;
}

const PATTERN =
  /(?<space>[\s\uFEFF]+|#[^\n]*)|(?<heredoc>(?:~[a-zA-Z])?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)))|(?<sigil>~[a-zA-Z](?:\([^)]*\)?|\[[^\]]*\]?|\{[^}]*\}?|<[^>]*>?|\/(?:\\.|[^/\\])*\/?|\|[^|]*\|?|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)[a-z]*)|(?<text>"(?:\\[\s\S]|#\{[^}]*\}|[^"\\])*(?:"|$))(?<textKey>:(?=\s))?|(?<chars>'(?:\\[\s\S]|[^'\\])*(?:'|$))|(?<quotedAtom>:"(?:\\.|[^"\\])*(?:"|$))|(?<atom>:[A-Za-z_]\w*[?!]?)|(?<char>\?(?:\\.|[^\s]))|(?<key>[A-Za-z_]\w*[?!]?:(?=\s|$))|(?<word>[A-Za-z_]\w*[?!]?|\d[\w.]*)|(?<open>%\{|[([{]|<<)|(?<close>[)\]}]|>>)|(?<sign>=>|->|<-|<>|\+\+|::|&&|\|\||\|>|==|!=|[\s\S])/gu;

/** `~w(dev test)a`: a list of atoms. */
const WORDS = /^~w.([\w?!\s]*).a$/;

function tokensOf(source: string): readonly ElixirToken[] {
  const tokens: ElixirToken[] = [];
  for (const match of source.matchAll(PATTERN)) {
    const { index, groups = {} } = match;
    const [whole] = match;
    const range = { start: index, end: index + whole.length };
    const push = (
      kind: ElixirToken["kind"],
      text: string,
      more: Partial<ElixirToken> = {},
    ): void => {
      tokens.push({ kind, text, range, ...more });
    };
    if (groups.space !== undefined) continue;
    if (groups.text !== undefined) {
      const inner = groups.text.replace(/^"|"$/g, "");
      if (groups.textKey !== undefined) push("key", inner);
      else
        push("text", inner, {
          range: { start: index + 1, end: index + 1 + inner.length },
          ...(/\\|#\{/.test(inner) ? { computed: true } : {}),
        });
    } else if (groups.quotedAtom !== undefined) push("atom", whole.slice(2).replace(/"$/, ""));
    else if (groups.atom !== undefined) push("atom", whole.slice(1));
    else if (groups.key !== undefined) push("key", whole.slice(0, -1));
    else if (groups.open !== undefined) push("open", whole);
    else if (WORDS.test(whole)) push("words", whole);
    else if (groups.close !== undefined) push("close", whole);
    else push(groups.word === undefined ? "sign" : "word", whole);
  }
  return tokens;
}

/** Every outermost term in brackets. */
export function elixirTerms(source: string): readonly ElixirTerm[] {
  const reader = new Reader(tokensOf(source));
  const terms: ElixirTerm[] = [];
  while (!reader.ended) {
    const term = reader.next();
    if (term) terms.push(term);
  }
  return terms;
}

/** These terms and all terms below them, without the members of the given names. */
export function* allTerms(terms: readonly ElixirTerm[], except: RegExp): Generator<ElixirTerm> {
  const queue = [...terms];
  for (let term = queue.shift(); term; term = queue.shift()) {
    yield term;
    if (term.kind === "tuple" || term.kind === "list") queue.unshift(...term.items);
    if (term.kind === "pair" && !except.test(term.key)) queue.unshift(term.value);
  }
}

const MAX_DEPTH = 100;

class Reader {
  readonly #tokens: readonly ElixirToken[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly ElixirToken[]) {
    this.#tokens = tokens;
  }

  get ended(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Skips one token, or everything up to its closing bracket. */
  next(): ElixirTerm | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind === "open" && this.#depth < MAX_DEPTH) return this.#nest(token);
    this.#at += 1;
    return undefined;
  }

  #nest(open: ElixirToken): ElixirTerm {
    this.#at += 1;
    this.#depth += 1;
    const items: ElixirTerm[] = [];
    for (let token = this.#tokens[this.#at]; token; token = this.#tokens[this.#at]) {
      if (token.kind === "close") break;
      if (token.kind === "sign" && token.text === ",") this.#at += 1;
      else items.push(this.#item(token));
    }
    const end = this.#tokens[this.#at]?.range.end ?? open.range.end;
    this.#at += 1;
    this.#depth -= 1;
    const kind = open.text === "{" ? "tuple" : "list";
    return { kind, items, range: { start: open.range.start, end } };
  }

  #item(first: ElixirToken): ElixirTerm {
    if (first.kind === "key") {
      this.#at += 1;
      const token = this.#tokens[this.#at];
      const none: ElixirTerm = { kind: "code", text: "", range: first.range };
      const value = token && !this.#ends(token) ? this.#item(token) : none;
      const range = { start: first.range.start, end: value.range.end };
      return { kind: "pair", key: first.text, value, range };
    }
    const parts: ElixirTerm[] = [];
    const from = this.#at;
    for (
      let token = this.#tokens[this.#at];
      token && !this.#ends(token);
      token = this.#tokens[this.#at]
    ) {
      const { kind, text, range, computed } = token;
      if (kind === "key" && parts.length > 0) break;
      const nest = kind === "open" ? this.next() : undefined;
      if (nest) parts.push(nest);
      else if (kind === "words") {
        this.#at += 1;
        parts.push(atomsIn(text, range));
      } else {
        this.#at += kind === "open" ? 0 : 1;
        const literal = (kind === "text" || kind === "atom") && !computed;
        parts.push(literal ? { kind, value: text, range } : { kind: "code", text, range });
      }
    }
    const [only] = parts;
    if (only && parts.length === 1) return only;
    const start = first.range.start;
    const end = this.#tokens[Math.max(from, this.#at - 1)]?.range.end ?? start;
    // Keeps the literal terms of calls and list concatenations.
    const nests = parts.filter(({ kind }) => kind === "list" || kind === "tuple");
    return nests.length > 0
      ? { kind: "list", items: nests, range: { start, end } }
      : {
          kind: "code",
          text: parts.map((part) => ("text" in part ? part.text : "")).join(" "),
          range: { start, end },
        };
  }

  #ends({ kind, text }: ElixirToken): boolean {
    return kind === "close" || (kind === "sign" && text === ",");
  }
}

function atomsIn(text: string, range: TextRange): ElixirTerm {
  const [, inside = ""] = WORDS.exec(text) ?? [];
  const items = (inside.match(/\S+/g) ?? []).map(
    (value): ElixirTerm => ({ kind: "atom", value, range }),
  );
  return { kind: "list", items, range };
}
