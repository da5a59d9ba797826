/** The class of each character of the project's valid texts, as the lexer knows it, to compare highlighters with. */
import { globSync, readFileSync } from "node:fs";
import { parse, tokenize } from "../../../grammar/index.js";

export type TokenClass = "comment" | "string" | "regex" | "number" | "other";

/** Valid texts: examples, and the parts of case files that parse. */
export const texts: ReadonlyArray<readonly [file: string, text: string]> = globSync([
  "examples/**/*.reeve",
  "grammar/cases/*.reeve",
  "daemon/config/cases/*.reeve",
  "cli/starter/*.reeve",
])
  .sort()
  .flatMap((file) => {
    const [text = ""] = readFileSync(file, "utf8").split(/^--------$/m);
    const isValid = parse({ path: file, text }).diagnostics.length === 0;
    return isValid && !/\r/.test(text) ? [[file, text] as const] : [];
  });

/** The class of each character; `undefined` in interpolations, which the lexer leaves to the parser. */
function classesOf(text: string): ReadonlyArray<TokenClass | undefined> {
  const classes: Array<TokenClass | undefined> = new Array(text.length).fill("other");
  const known: Readonly<Record<string, TokenClass>> = {
    comment: "comment",
    doc: "comment",
    string: "string",
    regex: "regex",
    number: "number",
  };
  for (const { kind, start, end, interpolations = [] } of tokenize({ path: "x", text })) {
    classes.fill(known[kind] ?? "other", start, end);
    for (const inside of interpolations) classes.fill(undefined, inside.start, inside.end);
  }
  return classes;
}

/** The places where a highlighter differs, as people read them. */
export function differences(
  file: string,
  text: string,
  highlighted: (line: number, column: number) => TokenClass,
): readonly string[] {
  const expected = classesOf(text);
  const found: string[] = [];
  let offset = 0;
  for (const [index, line] of text.split("\n").entries()) {
    for (let column = 0; column < line.length; column += 1) {
      const wanted = expected[offset + column];
      if (wanted === undefined || /\s/.test(line[column] ?? "")) continue;
      const given = highlighted(index, column);
      if (given !== wanted)
        found.push(`${file}:${index + 1}:${column + 1}: ${given}, not ${wanted}: ${line}`);
    }
    offset += line.length + 1;
  }
  return found.slice(0, 3);
}
