/** The parser that peggy generates from `reeve.peggy`, beside the compiled code. */
import type { SyntaxReader } from "./reading/syntax-reader.js";
import type { Token } from "./tokens.js";
import type { ExpressionNode, Item } from "./tree.js";

interface StartRules {
  readonly part: {
    readonly items: Item[];
    /** The offset at which the next part begins; the end of the text behind the last one. */
    readonly next: number;
  };
  readonly expression: ExpressionNode;
  readonly tokens: Token[];
}

interface Options<Rule> {
  readonly startRule: Rule;
  /** The same for all parts of a file. */
  readonly reader: SyntaxReader;
}

interface PartOptions extends Options<"part"> {
  readonly from: number;
  /** Behind `from`: a part has at least one item, unless the text ends. */
  readonly until: number;
}

/** Parses a text from one of three start rules. Reports mistakes to the reader; throws nothing. */
export function parse<Rule extends keyof StartRules>(
  text: string,
  options: Rule extends "part" ? PartOptions : Options<Rule>,
): StartRules[Rule];
