/** Functions on text. */
import { limits } from "../limits.js";
import { BOOLEAN, listOf, NUMBER, REGEX, STRING, TEXTUAL } from "../types/type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { LinearPattern } from "../values/pattern.js";
import type { Value } from "../values/value.js";
import { formatText } from "./format.js";
import type { FunctionSignature } from "./signature.js";
import { valueText } from "./text-of.js";

const text = { name: "text", type: STRING } as const;

export const textFunctions: readonly FunctionSignature[] = [
  {
    name: "lower",
    doc: "The text in lower case.",
    parameters: [text],
    returns: STRING,
    examples: [['lower("Main")', '"main"']],
    apply: (value: string) => value.toLowerCase(),
  },
  {
    name: "upper",
    doc: "The text in upper case.",
    parameters: [text],
    returns: STRING,
    examples: [['upper("eu-1")', '"EU-1"']],
    apply: (value: string) => value.toUpperCase(),
  },
  {
    name: "trim",
    doc: "The text without white space at both ends.",
    parameters: [text],
    returns: STRING,
    examples: [['trim("  a b\\n")', '"a b"']],
    apply: (value: string) => value.trim(),
  },
  {
    name: "split",
    doc: "The parts of a text between separators; an empty separator splits into characters.",
    parameters: [text, { name: "separator", type: STRING }],
    returns: listOf(STRING),
    examples: [
      ['split("a,b,,c", ",")', '["a", "b", "", "c"]'],
      ['split("no", "")', '["n", "o"]'],
    ],
    apply: (value: string, separator: string) =>
      separator === "" ? Array.from(value) : value.split(separator),
  },
  {
    name: "join",
    doc: "The elements of a list in one text, with a separator between them.",
    parameters: [
      { name: "list", type: listOf(TEXTUAL) },
      { name: "separator", type: STRING, optional: true },
    ],
    returns: STRING,
    examples: [
      ['join(["a", "b"], "/")', '"a/b"'],
      ["join([1, 30s])", '"130s"'],
    ],
    apply: (list: readonly Value[], separator = "") => {
      const parts = list.map(valueText);
      const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
      if (length > limits.string) throw tooLong();
      return parts.join(separator);
    },
  },
  {
    name: "replace",
    doc: "The text with every occurrence of a text or pattern replaced; for a pattern, `$1` and `$<name>` stand for its groups and `$$` for a dollar sign.",
    parameters: [
      text,
      { name: "old", type: { kind: "union", of: [STRING, REGEX] } },
      { name: "new", type: STRING },
    ],
    returns: STRING,
    examples: [
      ['replace("a-b-c", "-", "/")', '"a/b/c"'],
      ['replace("v1.2", re"^v(\\d+)\\.", "major $1, minor ")', '"major 1, minor 2"'],
    ],
    apply: (value: string, old: string | LinearPattern, replacement: string) => {
      if (old instanceof LinearPattern) {
        return old.replace(value, replacement, limits.string) ?? raise(tooLong());
      }
      const occurrences = old === "" ? 0 : value.split(old).length - 1;
      if (value.length + occurrences * replacement.length > limits.string) throw tooLong();
      return old === "" ? value : value.replaceAll(old, () => replacement);
    },
  },
  {
    name: "starts_with",
    doc: "Whether a text begins with another.",
    parameters: [text, { name: "prefix", type: STRING }],
    returns: BOOLEAN,
    examples: [['starts_with("release/2", "release/")', "true"]],
    apply: (value: string, prefix: string) => value.startsWith(prefix),
  },
  {
    name: "ends_with",
    doc: "Whether a text ends with another.",
    parameters: [text, { name: "suffix", type: STRING }],
    returns: BOOLEAN,
    examples: [['ends_with("a.tar.gz", ".zip")', "false"]],
    apply: (value: string, suffix: string) => value.endsWith(suffix),
  },
  {
    name: "matches",
    doc: "Whether a pattern occurs in a text, as `=~` does. In a `test`, `matches(block, request)` tells whether a block's condition holds for a request.",
    parameters: [text, { name: "pattern", type: REGEX }],
    returns: BOOLEAN,
    examples: [
      ['matches("refs/heads/main", re"^refs/heads/")', "true"],
      ['matches("Main", re"^main$"i)', "true"],
    ],
    apply: (value: string, pattern: LinearPattern) => pattern.test(value),
  },
  {
    name: "format",
    doc: "Fills a template: `%s` any scalar, `%d` a whole number, `%.2f` a number with decimals, `%x` hexadecimal, `%q` a quoted string, `%j` JSON, `%%` a percent sign; `%5d`, `%-5s` and `%05d` pad.",
    parameters: [
      { name: "template", type: STRING },
      { name: "values", type: { kind: "any" }, rest: true },
    ],
    returns: STRING,
    examples: [
      ['format("%s-%03d", "job", 7)', '"job-007"'],
      ['format("%.1f%% of %q", 12.34, "all")', '"12.3% of \\"all\\""'],
    ],
    apply: formatText,
  },
  {
    name: "length",
    doc: "How many characters a text, elements a list, or names an object has.",
    parameters: [
      {
        name: "value",
        type: {
          kind: "union",
          of: [STRING, listOf({ kind: "any" }), { kind: "map", values: { kind: "any" } }],
        },
      },
    ],
    returns: NUMBER,
    examples: [
      ['length("äö")', "2"],
      ["length([1, 2, 3])", "3"],
      ["length({})", "0"],
    ],
    moves: true,
    apply: (value: string | readonly Value[] | Readonly<Record<string, Value>>) => {
      if (typeof value !== "string") return Object.keys(value).length;
      let characters = 0;
      for (const _ of value) characters += 1;
      return characters;
    },
  },
];

const tooLong = (): EvaluationError =>
  new EvaluationError(`the string would be longer than ${limits.string} characters`, {
    code: "E406",
  });

function raise(fault: EvaluationError): never {
  throw fault;
}
