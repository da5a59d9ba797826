/** The parser that peggy generates from `reeve.peggy`, beside the compiled code. */
import type { SyntaxReader } from "./reading/syntax-reader.js";
import type { Token } from "./tokens.js";
import type { ExpressionNode, File } from "./tree.js";

interface StartRules {
  readonly file: File;
  readonly expression: ExpressionNode;
  readonly tokens: Token[];
}

/** Parses a text from one of three start rules. Reports mistakes to the reader; throws nothing. */
export function parse<Rule extends keyof StartRules>(
  text: string,
  options: { readonly startRule: Rule; readonly reader: SyntaxReader },
): StartRules[Rule];
