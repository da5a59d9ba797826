/**
 * Every code that reading a text can give. E00x: how a file is put together, E01x: items, E02x: single lexemes,
 * E03x: expressions, E04x: limits, E05x: the formatter. Codes are for ever: one that falls out of use is not given to something else.
 */

export interface CodeEntry {
  /** The kind of mistake, in a few words. */
  readonly title: string;
  /** Why it is one, and what to write instead. */
  readonly explanation: string;
  /** A text that has this mistake and no other; absent where no text is known to have it. */
  readonly example?: string;
}

export const SYNTAX_CODES = {
  E001: {
    title: "expected an item",
    explanation:
      'Files and bodies contain items: attributes (`name = value`), blocks (`kind "label" { … }`) and statements that begin with let, import, mixin, use, for or if. This line begins with something else.',
    example: "= 10m\n",
  },
  E002: {
    title: "body not closed",
    explanation:
      "A body begins with `{` and ends with `}`. Reeve guesses the position of a missing `}` from the indentation.",
    example: 'hook "a" {\n  timeout = 1m\n\nhook "b" {\n  timeout = 1m\n}\n',
  },
  E003: {
    title: "closing bracket without an opening one",
    explanation: "A `}`, `]` or `)` closes nothing. An edit often leaves one behind.",
    example: "timeout = 1m\n}\n",
  },
  E004: {
    title: "bracket not closed",
    explanation:
      "A list, group, argument list, object or interpolation is not closed, or is closed by another bracket. An interpolation closes on the line on which it opens.",
    example: 'run = ["./deploy.sh", "main"\ntimeout = 1m\n',
  },
  E005: {
    title: "text after the end of an item",
    explanation:
      "An item ends at the end of its line or at `;`. Separate two items on one line with `;`.",
    example: "timeout = 1m retries = 2\n",
  },
  E006: {
    title: "wrong separator",
    explanation:
      "Separate items with new lines or `;`, list elements and arguments with commas, and object entries with new lines or commas.",
    example: "timeout = 1m,\nretries = 2\n",
  },
  E010: {
    title: "missing `=`",
    explanation:
      "An attribute takes its value after `=`. `:`, `:=` and `=>` belong to other languages, and `==` compares. A name without `=` needs a body in braces.",
    example: "timeout: 1m\n",
  },
  E011: {
    title: "invalid block header",
    explanation:
      "A block begins with its kind, then its labels as strings in double quotes, then `{`, all on one line.",
    example: "hook deploy {\n}\n",
  },
  E012: {
    title: "invalid name",
    explanation:
      "A name begins with a letter or `_` and continues with letters, digits and `_`; a hyphen is a minus. Loop variables and import aliases are written bare, so they cannot be reserved words.",
    example: "run-in = 1\n",
  },
  E013: {
    title: "missing value",
    explanation:
      "The line, interpolation or file ends where a value was expected. The value begins on the line of its `=`.",
    example: "timeout =\n",
  },
  E014: {
    title: "incomplete statement",
    explanation: "A required part of the statement is missing.",
    example: "for repo of let.repos {\n}\n",
  },
  E015: {
    title: "`else` in the wrong place",
    explanation: "`else` follows the `}` of an `if` and is followed by a body or another `if`.",
    example: "else {\n}\n",
  },
  E016: {
    title: "`/-` without an item",
    explanation: "`/-` disables the item directly after it, on the same line.",
    example: "/-\ntimeout = 1m\n",
  },
  E020: {
    title: "string not closed",
    explanation:
      'A string closes on the line on which it begins. Write text of several lines as a block string: between `"""` and a closing `"""` on its own line.',
    example: 'listen = "127.0.0.1:9000\n',
  },
  E021: {
    title: "block string not closed",
    explanation:
      'A block string ends with `"""` alone on a line. Reeve guesses its intended end from the indentation.',
    example: 'script = """sh\n  npm ci\ntimeout = 1m\n',
  },
  E022: {
    title: "unknown escape",
    explanation:
      'Strings support \\n, \\t, \\r, \\", \\\\, \\$ and \\u{…} with one to six hexadecimal digits. Raw strings (r"…") and regular expressions (re"…") have no escapes, so use them for text with many backslashes.',
    example: 'path = "C:\\data"\n',
  },
  E023: {
    title: "wrong quotes",
    explanation:
      "Write text in straight double quotes. Paths, addresses and patterns are text too.",
    example: "path = './deploy.sh'\n",
  },
  E024: {
    title: "comment of another language",
    explanation:
      "A comment begins with `#` and extends to the end of the line. `/-` disables a whole item.",
    example: "// every hook\ntimeout = 1m\n",
  },
  E025: {
    title: "unexpected character",
    explanation:
      "Outside strings and comments, a file consists of ASCII letters, digits, operators, brackets and ordinary spaces. Invisible characters often come from a web page or a word processor.",
    example: "größe = 1\n",
  },
  E026: {
    title: "invalid number",
    explanation:
      "Write numbers as 12, 1_000, 3.5, 1e3, 0xff, 0o755 or 0b101. Leading zeros are invalid: some languages read them as octal, others as decimal. Integers are exact up to 9007199254740991.",
    example: "mode = 0755\n",
  },
  E027: {
    title: "invalid duration",
    explanation:
      "Write durations as integers with the units d, h, m, s and ms, without spaces and in descending order: 250ms, 1h30m, 7d. A fraction is valid if the result is a whole number of milliseconds: 1.5h. Months and years differ in length and are not supported.",
    example: "timeout = 10 m\n",
  },
  E028: {
    title: "invalid size",
    explanation:
      "Write sizes with the units B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024), without spaces: 64KiB. A single letter does not say which power it means.",
    example: "memory = 512M\n",
  },
  E029: {
    title: "invalid block string",
    explanation:
      'The text begins on the line after the opening `"""`, the closing `"""` is alone on its line, and every line begins with the same blanks as the closing quotes. An interpolation cannot contain a block string.',
    example: 'script = """npm ci"""\n',
  },
  E030: {
    title: "invalid regular expression flag",
    explanation:
      "Flags follow the closing quote, each at most once: i ignores case, m lets ^ and $ match at line boundaries, s lets . match line ends.",
    example: 'pattern = re"^main$"g\n',
  },
  E031: {
    title: "operator without a right operand",
    explanation:
      "A line cannot end with an operator outside brackets. To continue an expression, begin the next line with the operator.",
    example: "ready = let.a &&\n  let.b\n",
  },
  E032: {
    title: "missing comma",
    explanation: "Separate list elements and call arguments with commas, on one line or several.",
    example: 'run = ["./deploy.sh" "main"]\n',
  },
  E033: {
    title: "invalid expression",
    explanation: "This text cannot be part of an expression.",
    example: "ready = let.a and let.b\n",
  },
  E034: {
    title: "incomplete conditional",
    explanation: "A conditional has two branches: test ? this : that.",
    example: "timeout = let.ci ? 1m\n",
  },
  E035: {
    title: "invalid comprehension",
    explanation:
      "Write a list comprehension as [for name in values: result], an object comprehension as { for name, value in values: key => result }. An optional test stands before the colon: [for name in values if test: result].",
    example: "names = [for repo in let.repos repo]\n",
  },
  E036: {
    title: "invalid object entry",
    explanation:
      'Write an entry as `key = value`. Quote a key that is not a name: "Content-Type" = …',
    example: 'env = { Content-Type = "text/plain" }\n',
  },
  E037: {
    title: "blank before a suffix",
    explanation:
      "Write calls, indexes and member access without a space: f(x), list[0], object.name.",
    example: 'token = env ("TOKEN")\n',
  },
  E040: {
    title: "file too large",
    explanation: "A file is limited to 1 MiB.",
    example: `${"# much\n".repeat(150_000)}`,
  },
  E041: {
    title: "nested too deeply",
    explanation: "Brackets, bodies, interpolations and conditionals nest at most 64 levels deep.",
    example: `deep = ${"[".repeat(65)}${"]".repeat(65)}\n`,
  },
  E042: {
    title: "expression too deep",
    explanation:
      "An expression is limited to 256 levels; each operator of a chain adds a level. Name parts of it with `let`, or compare with a list: `x in [a, b, c]`.",
    example: `sum = 0${" + 1".repeat(300)}\n`,
  },
  E050: {
    title: "not formatted",
    explanation:
      "The formatter checks that the formatted text has the same meaning; this one does not. This is a bug in the formatter, and the file stays unchanged.",
  },
} as const satisfies Record<string, CodeEntry>;

export type SyntaxCode = keyof typeof SYNTAX_CODES;
