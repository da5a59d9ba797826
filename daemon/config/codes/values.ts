/** `E3…`: values and their types. */
import type { ConfigurationCode } from "./entry.js";

export const valueCodes = {
  E301: {
    title: "value of the wrong kind",
    explanation:
      'Every attribute takes values of one kind. Durations and sizes have units, patterns are written `re"…"`, blocks are named without quotes.',
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  debounce = "100ms"\n}\n',
  },
  E302: {
    title: "out of bounds",
    explanation: "The value is smaller or larger than the plugin allows.",
    example: 'hook "deploy" {\n  run = ["true"]\n  concurrency = 0\n}\n',
  },
  E303: {
    title: "not one of the values",
    explanation: "The attribute takes one of a few values.",
    example: 'hook "deploy" {\n  run = ["true"]\n  methods = ["PSOT"]\n}\n',
  },
  E304: {
    title: "string of the wrong form",
    explanation: "The string is too short, too long, or not of the form that the plugin describes.",
    example: 'hook_server "default" { listen = "" }\n',
  },
  E305: {
    title: "regular expression that cannot be used",
    explanation:
      "Patterns run on an engine whose time grows with the text and never explodes (RE2). It has no look-around and no back-references.",
    example: 'let branch = re"^(?=main)"\n',
  },
  E306: {
    title: "secret in plain sight",
    explanation:
      'A secret is named, not written: configurations are kept in git. Write `secret("env:NAME")` or `secret("file:PATH")`.',
    example:
      'hook "deploy" {\n  run = ["true"]\n  verify "hmac" {\n    header = "X-Signature"\n    secret = "hunter2"\n  }\n}\n',
  },
  E307: {
    title: "operator on the wrong values",
    explanation:
      "The operator does not go with values of these kinds. Nothing is converted silently.",
    example: 'let port = 80 + "80"\n',
  },
  E308: {
    title: "wrong arguments",
    explanation: "The call has too many, too few, or unknown arguments.",
    example: "let name = lower()\n",
  },
  E309: {
    title: "argument of the wrong kind",
    explanation: "The function wants something else at this place.",
    example: "let name = lower(5)\n",
  },
  E310: {
    title: "no host name",
    explanation:
      "A host name or pattern has no scheme, port or path. `*` stands for any run of letters, digits, `-` and `.`.",
    example: 'sandbox "build" { allow = ["https://example.org/"] }\n',
  },
  E311: {
    title: "reference to the wrong kind of block",
    explanation: "The attribute names blocks of one kind.",
    example:
      'updates "main" { listen = "127.0.0.1:1" }\nhook "deploy" {\n  run = ["true"]\n  run_in = updates.main\n}\n',
  },
  E312: {
    title: "number that does not exist",
    explanation: "The calculation divides by zero or ends in a number too large to hold.",
    example: "let share = 1 / 0\n",
  },
  E313: {
    title: "function without an answer",
    explanation:
      "The function cannot do this with these values: text that is no JSON, an address that is none. `try(…, default)` says what to use then.",
    example: 'let data = json_decode("{")\n',
  },
  E314: {
    title: "condition that is neither true nor false",
    explanation: "Conditions are true or false; nothing else counts as either.",
    example: 'if 1 {\n  sandbox "build" {}\n}\n',
  },
  E315: {
    title: "nothing to go through",
    explanation:
      "`for` and `[*]` go through lists, `for name, value in …` through objects as well.",
    example: 'for repo in "api" {\n  sandbox "build" {}\n}\n',
  },
  E316: {
    title: "expression that gives the wrong kind",
    explanation: "The attribute is worked out at run time, and can already be seen not to fit.",
    example: 'hook "deploy" {\n  run = ["true"]\n  when = "${payload.ref}"\n}\n',
  },
  E317: {
    title: "list of the wrong length",
    explanation: "The list has too many, too few, or repeated elements.",
    example: 'hook "deploy" {\n  run = []\n}\n',
  },
  E318: {
    title: "name twice in an object",
    explanation: "Each name stands in an object once.",
    example: "let ports = { http = 80, http = 8080 }\n",
  },
  E319: {
    title: "value that cannot stand in a string",
    explanation:
      "Into a string go strings, numbers, truth values, durations, sizes and percentages. `join` and `json_encode` make strings of lists and objects.",
    example: 'let all = "repositories: ${["api", "web"]}"\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
