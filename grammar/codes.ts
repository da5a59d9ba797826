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
    title: "no item",
    explanation:
      'A file and a body are made of items: attributes (`name = value`), blocks (`kind "label" { … }`) and statements ' +
      "that begin with let, import, mixin, use, for or if. This line begins with something else.",
    example: "= 10m\n",
  },
  E002: {
    title: "body not closed",
    explanation:
      "A body begins with `{` and ends with `}`. Where the `}` is missing is guessed from the indentation.",
    example: 'hook "a" {\n  timeout = 1m\n\nhook "b" {\n  timeout = 1m\n}\n',
  },
  E003: {
    title: "closing bracket without an opening one",
    explanation:
      "A `}`, `]` or `)` stands where nothing is open. Often one was left over from an edit.",
    example: "timeout = 1m\n}\n",
  },
  E004: {
    title: "bracket not closed",
    explanation:
      "A list, a group, arguments, an object or a hole of a string is not closed, or closed by a bracket of another shape. " +
      "A hole is closed on the line it is opened on.",
    example: 'run = ["./deploy.sh", "main"\ntimeout = 1m\n',
  },
  E005: {
    title: "something follows the end of an item",
    explanation:
      "An item ends with its line or at a `;`. Two items on one line are separated by `;`.",
    example: "timeout = 1m retries = 2\n",
  },
  E006: {
    title: "wrong separator",
    explanation:
      "Items are separated by new lines or `;`, elements of lists and arguments by commas, entries of objects by new lines " +
      "or commas.",
    example: "timeout = 1m,\nretries = 2\n",
  },
  E010: {
    title: "no `=`",
    explanation:
      "A name is given its value by `=`; `:`, `:=` and `=>` belong to other languages and `==` compares. " +
      "A name without `=` needs a body in braces.",
    example: "timeout: 1m\n",
  },
  E011: {
    title: "header of a block",
    explanation:
      "A block begins with its kind, then its labels as strings in double quotes, then `{`, all on one line.",
    example: "hook deploy {\n}\n",
  },
  E012: {
    title: "no name",
    explanation:
      "A name begins with a letter or `_` and goes on with letters, digits and `_`; a hyphen would be a minus. " +
      "Loop variables and import aliases are written bare, so they cannot be reserved words.",
    example: "run-in = 1\n",
  },
  E013: {
    title: "no value",
    explanation:
      "A value was expected, and the line, the hole or the file ends. The value begins on the line of its `=`.",
    example: "timeout =\n",
  },
  E014: {
    title: "incomplete statement",
    explanation: "A statement that begins with a keyword lacks what belongs to it.",
    example: "for repo of let.repos {\n}\n",
  },
  E015: {
    title: "`else` in the wrong place",
    explanation:
      "`else` follows the `}` of an `if` and is followed by a body. There is no `else if`: put the second `if` into the " +
      "body of the `else`.",
    example: "else {\n}\n",
  },
  E016: {
    title: "`/-` without an item",
    explanation: "`/-` switches off the item directly behind it, on the same line.",
    example: "/-\ntimeout = 1m\n",
  },
  E020: {
    title: "string not closed",
    explanation:
      'A string is closed on the line it begins on. Text of several lines stands in a block string, between `"""` and a ' +
      'closing `"""` on its own line.',
    example: 'listen = "127.0.0.1:9000\n',
  },
  E021: {
    title: "block string not closed",
    explanation:
      'A block string ends with `"""` alone on a line. How far it was meant to go is guessed from the indentation.',
    example: 'script = """sh\n  npm ci\ntimeout = 1m\n',
  },
  E022: {
    title: "unknown escape",
    explanation:
      'Strings know \\n, \\t, \\r, \\", \\\\, \\$ and \\u{…} with one to six hexadecimal digits. Raw strings (r"…") and regular ' +
      'expressions (re"…") know no escapes at all and suit text with many backslashes.',
    example: 'path = "C:\\data"\n',
  },
  E023: {
    title: "quotes",
    explanation:
      "Text stands in straight double quotes. Paths, addresses and patterns are text too.",
    example: "path = './deploy.sh'\n",
  },
  E024: {
    title: "comment of another language",
    explanation:
      "A comment begins with `#` and goes to the end of the line. `/-` switches off a whole item.",
    example: "// every hook\ntimeout = 1m\n",
  },
  E025: {
    title: "character without a meaning",
    explanation:
      "Outside of strings and comments a text is made of ASCII letters, digits, the signs of the language and ordinary " +
      "spaces. Invisible characters often come from a web page or a word processor.",
    example: "größe = 1\n",
  },
  E026: {
    title: "number",
    explanation:
      "Numbers are written 12, 1_000, 3.5, 1e3, 0xff, 0o755, 0b101. A leading zero is refused, because it would mean octal " +
      "in some places and decimal in others. Whole numbers are exact up to 9007199254740991.",
    example: "mode = 0755\n",
  },
  E027: {
    title: "duration",
    explanation:
      "Durations are whole numbers with the units d, h, m, s and ms, attached and in descending order: 250ms, 1h30m, 7d. " +
      "A fraction is fine where it comes out whole: 1.5h. There are no months and years, which differ in length.",
    example: "timeout = 10 m\n",
  },
  E028: {
    title: "size",
    explanation:
      "Sizes have the units B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024), attached: 64KiB. " +
      "A letter alone would leave open which of the two is meant.",
    example: "memory = 512M\n",
  },
  E029: {
    title: "form of a block string",
    explanation:
      'The text begins on the line after the opening `"""`, the closing `"""` stands alone on its line, and every line ' +
      "begins with the same blanks as the closing quotes. A block string cannot stand inside a hole.",
    example: 'script = """npm ci"""\n',
  },
  E030: {
    title: "flag of a regular expression",
    explanation:
      "Behind the closing quote stand flags, each once: i ignores case, m lets ^ and $ match at lines, s lets . match " +
      "line ends.",
    example: 'pattern = re"^main$"g\n',
  },
  E031: {
    title: "operator without a value behind it",
    explanation:
      "A line cannot end with an operator outside of brackets. To go on, begin the next line with the operator.",
    example: "ready = let.a &&\n  let.b\n",
  },
  E032: {
    title: "no comma",
    explanation:
      "Elements of lists and arguments of calls are separated by commas, on one line or several.",
    example: 'run = ["./deploy.sh" "main"]\n',
  },
  E033: {
    title: "no expression",
    explanation: "Something stands in an expression that cannot stand there.",
    example: "ready = let.a and let.b\n",
  },
  E034: {
    title: "conditional with one way only",
    explanation: "A conditional has two ways: test ? this : that.",
    example: "timeout = let.ci ? 1m\n",
  },
  E035: {
    title: "`for` in a list",
    explanation:
      "A list made from another is written [for name in values: result], with an optional test before the colon: " +
      "[for name in values if test: result].",
    example: "names = [for repo in let.repos repo]\n",
  },
  E036: {
    title: "entry of an object",
    explanation:
      'An entry is `key = value`. The key is a name, or a string where it is none: "Content-Type" = …',
    example: 'env = { Content-Type = "text/plain" }\n',
  },
  E037: {
    title: "blank before a suffix",
    explanation: "What belongs to a value is attached to it: f(x), list[0], object.name.",
    example: 'token = env ("TOKEN")\n',
  },
  E040: {
    title: "file too large",
    explanation: "A file is at most 1 MiB long.",
    example: `${"# much\n".repeat(150_000)}`,
  },
  E041: {
    title: "nested too deeply",
    explanation:
      "Brackets, bodies, holes and conditionals stand inside each other at most 64 levels deep.",
    example: `deep = ${"[".repeat(65)}${"]".repeat(65)}\n`,
  },
  E042: {
    title: "expression too high",
    explanation:
      "An expression is at most 256 levels high, and a chain of operators is as high as it is long. Give parts of it names " +
      "with `let`, or compare with a list: `x in [a, b, c]`.",
    example: `sum = 0${" + 1".repeat(300)}\n`,
  },
  E050: {
    title: "not formatted",
    explanation:
      "After laying a text out, the formatter checks that it still says the same; this one would not. That is a fault of " +
      "the formatter, and the file is left as it is.",
  },
} as const satisfies Record<string, CodeEntry>;

export type SyntaxCode = keyof typeof SYNTAX_CODES;
