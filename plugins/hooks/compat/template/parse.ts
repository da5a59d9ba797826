/** Parses the tokens of a template to a tree. */
import { type Piece, TemplateError, type Word } from "./lex.js";

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly pipe: Pipe; readonly offset: number }
  | {
      readonly kind: "if" | "with" | "range";
      readonly pipe: Pipe;
      readonly body: readonly TemplatePart[];
      readonly otherwise: readonly TemplatePart[];
      readonly offset: number;
    };

export interface Pipe {
  /** `$x :=`, or two for `range`. */
  readonly variables: readonly string[];
  /** `=` instead of `:=`. */
  readonly assigns: boolean;
  readonly commands: ReadonlyArray<readonly TemplateTerm[]>;
}

export type TemplateTerm =
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
  | { readonly kind: "call"; readonly name: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "dot"; readonly field: string }
  | { readonly kind: "pipe"; readonly pipe: Pipe };

/** @throws TemplateError */
export function parseTemplate(pieces: readonly Piece[]): readonly TemplatePart[] {
  const reader = new Reader(pieces);
  const { parts, ended } = reader.parts(false);
  if (ended) throw new TemplateError(`\`${ended.word}\` ends nothing`, ended.offset);
  return parts;
}

interface Ended {
  readonly word: "end" | "else";
  readonly rest: readonly Word[];
  readonly offset: number;
}

class Reader {
  readonly #pieces: readonly Piece[];
  #next = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  parts(
    inside: boolean,
    opened = 0,
  ): { readonly parts: readonly TemplatePart[]; readonly ended?: Ended } {
    const parts: TemplatePart[] = [];
    for (let piece = this.#take(); piece; piece = this.#take()) {
      if (piece.kind === "text") {
        parts.push(piece);
        continue;
      }
      const { words, offset } = piece;
      const [first] = words;
      const keyword = first?.kind === "name" ? first.text : "";
      if (keyword === "end" || keyword === "else") {
        return { parts, ended: { word: keyword, rest: words.slice(1), offset } };
      }
      if (keyword === "if" || keyword === "with" || keyword === "range") {
        parts.push(this.#control(keyword, words.slice(1), offset));
      } else if (/^(define|template|block|break|continue)$/.test(keyword)) {
        throw new TemplateError(`\`${keyword}\` is not supported in hooks files`, offset);
      } else parts.push({ kind: "print", pipe: pipeOf(words, offset), offset });
    }
    if (inside) throw new TemplateError("this is never ended; `{{ end }}` is missing", opened);
    return { parts };
  }

  #take(): Piece | undefined {
    const piece = this.#pieces[this.#next];
    this.#next += 1;
    return piece;
  }

  #control(kind: "if" | "with" | "range", words: readonly Word[], offset: number): TemplatePart {
    const pipe = pipeOf(words, offset);
    const { parts: body, ended } = this.parts(true, offset);
    if (ended?.word !== "else") return { kind, pipe, body, otherwise: [], offset };
    const [next] = ended.rest;
    if (next?.kind === "name" && (next.text === "if" || next.text === "with")) {
      const otherwise = [this.#control(next.text, ended.rest.slice(1), ended.offset)];
      return { kind, pipe, body, otherwise, offset };
    }
    const rest = this.parts(true, offset);
    if (rest.ended?.word === "else") throw new TemplateError("there is an `else` already", offset);
    return { kind, pipe, body, otherwise: rest.parts, offset };
  }
}

function pipeOf(words: readonly Word[], offset: number): Pipe {
  const mark = words.findIndex(
    ({ kind, text }) => kind === "mark" && (text === ":=" || text === "="),
  );
  const targets = words.slice(0, Math.max(0, mark)).filter(({ text }) => text !== ",");
  if (targets.some(({ kind }) => kind !== "variable") || targets.length > 2) {
    throw new TemplateError("only variables such as `$x` can be set", offset);
  }
  const commands: TemplateTerm[][] = [];
  const state = { words, at: mark + 1, offset };
  do commands.push(commandOf(state));
  while (state.words[state.at - 1]?.text === "|" && state.words[state.at - 1]?.kind === "mark");
  if (state.at < words.length) throw new TemplateError("a `)` has no `(`", offset);
  return {
    variables: targets.map(({ text }) => text),
    assigns: words[mark]?.text === "=",
    commands,
  };
}

interface State {
  readonly words: readonly Word[];
  at: number;
  readonly offset: number;
}

/** Up to a `|`, which is consumed, a `)`, which is not, or the end. */
function commandOf(state: State): TemplateTerm[] {
  const terms: TemplateTerm[] = [];
  for (;;) {
    const word = state.words[state.at];
    if (!word || (word.kind === "mark" && word.text === ")")) break;
    state.at += 1;
    if (word.kind === "mark" && word.text === "|") break;
    terms.push(termOf(word, state));
  }
  if (terms.length === 0) throw new TemplateError("a value is missing", state.offset);
  return terms;
}

function termOf(word: Word, state: State): TemplateTerm {
  const { kind, text } = word;
  if (kind === "text") return { kind: "value", value: text };
  if (kind === "number") return { kind: "value", value: Number(text.replaceAll("_", "")) };
  if (kind === "variable") return { kind: "variable", name: text };
  if (kind === "dot") return { kind: "dot", field: text.slice(1) };
  if (kind === "mark" && text === "(") return inParentheses(state);
  if (kind === "mark") throw new TemplateError(`\`${text}\` does not belong here`, state.offset);
  if (text === "true" || text === "false") return { kind: "value", value: text === "true" };
  if (text === "nil") return { kind: "value", value: null };
  return { kind: "call", name: text };
}

function inParentheses(state: State): TemplateTerm {
  const commands: TemplateTerm[][] = [];
  do commands.push(commandOf(state));
  while (state.words[state.at - 1]?.text === "|" && state.words[state.at - 1]?.kind === "mark");
  if (state.words[state.at]?.text !== ")") {
    throw new TemplateError("a `(` is never closed", state.offset);
  }
  state.at += 1;
  return { kind: "pipe", pipe: { variables: [], assigns: false, commands } };
}
