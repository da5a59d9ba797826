/** The parser peggy makes of `reeve.peggy`; it stands beside the compiled code. */
import type { SyntaxReader } from "./reading/syntax-reader.js";
import type { Token } from "./tokens.js";
import type { ExpressionNode, File } from "./tree.js";

interface StartRules {
  readonly file: File;
  readonly expression: ExpressionNode;
  readonly tokens: Token[];
}

/** Reads a text from one of three start rules. What is wrong with it is told to the reader; nothing is thrown. */
export function parse<Rule extends keyof StartRules>(
  text: string,
  options: { readonly startRule: Rule; readonly reader: SyntaxReader },
): StartRules[Rule];
