/** Calls at the start of statements in Ruby source, each with its enclosing blocks. */
import type { TextRange } from "../text/text.js";
import { type RubyToken, rubyTokens } from "./ruby-tokens.js";

/** A literal string or symbol. */
export interface RubyLiteral {
  readonly text: string;
  readonly range: TextRange;
  readonly quote: string | undefined;
}

/** The literals of an argument, with lists flattened. */
export interface RubyArgument {
  readonly literals: readonly RubyLiteral[];
  /** The argument has an expression whose value only running it gives. */
  readonly computed: boolean;
}

export interface RubyCall {
  /** `gem`, `add_dependency`, `name=`. */
  readonly name: string;
  readonly args: readonly RubyArgument[];
  readonly options: ReadonlyMap<string, RubyArgument>;
  /** Outermost first; without `if` and other control structures. */
  readonly blocks: readonly RubyCall[];
  /** The call has a block. */
  readonly opens: boolean;
}

const OPENING = new Set(["if", "unless", "case", "begin", "def", "class", "module"]);
const LOOPS = new Set(["while", "until", "for"]);
const MODIFIERS = new Set(["if", "unless", "while", "until", "rescue", "and", "or"]);
const OPEN = new Set(["(", "[", "{"]);
const CLOSE = new Set([")", "]", "}"]);

export function rubyCalls(source: string): readonly RubyCall[] {
  const calls: RubyCall[] = [];
  /** `undefined` for control structures such as `if`. */
  const blocks: (RubyCall | undefined)[] = [];
  let statement: RubyToken[] = [];
  let depth = 0;

  const ended = (opens = false): RubyCall | undefined => {
    const enclosing = blocks.filter((one) => one !== undefined);
    const call = callOf(statement, { blocks: enclosing, opens });
    if (call) calls.push(call);
    statement = [];
    depth = 0;
    return call;
  };

  const tokens = rubyTokens(source);
  for (const [index, token] of tokens.entries()) {
    const { kind, text } = token;
    const last = statement.at(-1);
    const isKeyword = kind === "word" && last?.text !== "." && last?.text !== "&.";
    if (kind === "newline" || (kind === "sign" && text === ";")) {
      if (kind === "newline" && (depth > 0 || continues(last, tokens, index))) continue;
      ended();
    } else if (isKeyword && text === "do") {
      const isLoop = LOOPS.has(statement[0]?.text ?? "");
      const call = ended(true);
      if (!isLoop) blocks.push(call);
    } else if (kind === "sign" && text === "{" && depth === 0 && opensBlock(last)) {
      blocks.push(ended(true));
    } else if (isKeyword && text === "end") {
      ended();
      blocks.pop();
    } else if (kind === "sign" && text === "}" && depth === 0) {
      ended();
      blocks.pop();
    } else if (isKeyword && text === "then") {
      ended();
    } else {
      if (isKeyword && startsHere(last) && (OPENING.has(text) || LOOPS.has(text)))
        blocks.push(undefined);
      if (kind === "sign" && OPEN.has(text)) depth += 1;
      if (kind === "sign" && CLOSE.has(text)) depth = Math.max(0, depth - 1);
      statement.push(token);
    }
  }
  ended();
  return calls;
}

/** A statement continues after a comma or an operator, and before a line that starts with a dot. */
function continues(
  last: RubyToken | undefined,
  tokens: readonly RubyToken[],
  index: number,
): boolean {
  if (
    last?.kind === "label" ||
    (last?.kind === "sign" && /^(,|=>|=|\.|&&|\|\||\+|::|&\.)$/.test(last.text))
  )
    return true;
  const next = tokens.slice(index, index + 50).find(({ kind }) => kind !== "newline");
  return last !== undefined && next?.kind === "sign" && (next.text === "." || next.text === "&.");
}

/** `group(:test) { … }`, `source "x" { … }`; elsewhere a brace is a hash. */
const opensBlock = (last: RubyToken | undefined): boolean =>
  last !== undefined && (last.kind === "sign" ? /^[)\]]$/.test(last.text) : last.kind !== "label");

/** `if` at the start, or in `x = if …`. After a statement it is a modifier without an `end`. */
const startsHere = (last: RubyToken | undefined): boolean =>
  last === undefined || (last.kind === "sign" && last.text === "=");

function callOf(
  statement: readonly RubyToken[],
  context: Pick<RubyCall, "blocks" | "opens">,
): RubyCall | undefined {
  const [first, dot, method, equals] = statement;
  if (first?.kind !== "word") return undefined;
  if (dot?.kind !== "sign" || dot.text !== ".")
    return { name: first.text, ...argumentsOf(statement.slice(1)), ...context };
  if (method?.kind !== "word") return undefined;
  if (equals?.kind === "sign" && equals.text === "=")
    return { name: `${method.text}=`, ...argumentsOf(statement.slice(4)), ...context };
  return { name: method.text, ...argumentsOf(statement.slice(3)), ...context };
}

function argumentsOf(tokens: readonly RubyToken[]): Pick<RubyCall, "args" | "options"> {
  const inside = tokens[0]?.text === "(" ? upToItsClosing(tokens.slice(1)) : tokens;
  const args: RubyArgument[] = [];
  const options = new Map<string, RubyArgument>();
  for (const part of parts(inside)) {
    const [first, arrow] = part;
    if (!first) continue;
    if (first.kind === "label") options.set(first.text, argumentOf(part.slice(1)));
    else if (arrow?.kind === "sign" && arrow.text === "=>")
      options.set(first.text, argumentOf(part.slice(2)));
    else args.push(argumentOf(part));
  }
  return { args, options };
}

function upToItsClosing(tokens: readonly RubyToken[]): readonly RubyToken[] {
  let depth = 1;
  const end = tokens.findIndex(({ kind, text }) => {
    if (kind === "sign" && OPEN.has(text)) depth += 1;
    if (kind === "sign" && CLOSE.has(text)) depth -= 1;
    return depth === 0;
  });
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** The arguments between the commas, without a modifier at the end. */
function parts(tokens: readonly RubyToken[]): readonly (readonly RubyToken[])[] {
  const found: RubyToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    const { kind, text } = token;
    if (depth === 0 && kind === "word" && MODIFIERS.has(text)) break;
    if (kind === "sign" && OPEN.has(text)) depth += 1;
    if (kind === "sign" && CLOSE.has(text)) depth -= 1;
    if (depth === 0 && kind === "sign" && text === ",") found.push([]);
    else found.at(-1)?.push(token);
  }
  return found;
}

function argumentOf(tokens: readonly RubyToken[]): RubyArgument {
  const literals: RubyLiteral[] = [];
  let computed = false;
  for (const [index, { kind, text, range, quote, items, computed: unknown }] of tokens.entries()) {
    if (unknown === true) computed = true;
    else if (kind === "text" || kind === "symbol") literals.push({ text, range, quote });
    else if (kind === "texts")
      literals.push(...(items ?? []).map((item) => ({ ...item, quote: undefined })));
    else if (!isHarmless(tokens, index)) computed = true;
  }
  return { literals, computed };
}

/** Brackets, commas, `.freeze`, and constructors of requirements. */
function isHarmless(tokens: readonly RubyToken[], index: number): boolean {
  const { kind, text } = tokens[index] ?? { kind: "sign", text: "" };
  if (kind === "sign") return /^([[\](),.]|::)$/.test(text);
  return kind === "word" && /^(freeze|Gem|Requirement|Version|new)$/.test(text);
}
