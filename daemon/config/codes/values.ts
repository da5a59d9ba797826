/** `E3…`: values and their types. */
import type { ConfigurationCode } from "./entry.js";

export const valueCodes = {
  E301: {
    title: "wrong value type",
    explanation:
      'Every attribute accepts one type of value. Durations and sizes have units, patterns are written `re"…"`, and block references have no quotes.',
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  debounce = "100ms"\n}\n',
  },
  E302: {
    title: "value out of range",
    explanation: "The value is below the minimum or above the maximum that the plugin allows.",
    example: 'hook "deploy" {\n  run = ["true"]\n  concurrency = 0\n}\n',
  },
  E303: {
    title: "invalid choice",
    explanation: "The attribute accepts one of a fixed set of values.",
    example: 'hook "deploy" {\n  run = ["true"]\n  methods = ["PSOT"]\n}\n',
  },
  E304: {
    title: "invalid string format",
    explanation:
      "The string is too short, too long, or does not match the format that the plugin declares.",
    example: 'hook_server "default" { listen = "" }\n',
  },
  E305: {
    title: "unsupported regular expression",
    explanation:
      "Patterns run on an engine with linear time (RE2). It does not support look-around or back-references.",
    example: 'let branch = re"^(?=main)"\n',
  },
  E306: {
    title: "secret in plain text",
    explanation:
      'Configurations are kept in git, so name a secret instead of writing it. Write `secret("env:NAME")` or `secret("file:PATH")`.',
    example:
      'hook "deploy" {\n  run = ["true"]\n  verify "hmac" {\n    header = "X-Signature"\n    secret = "hunter2"\n  }\n}\n',
  },
  E307: {
    title: "wrong operand type",
    explanation:
      "The operator does not accept values of these types. There are no implicit conversions.",
    example: 'let port = 80 + "80"\n',
  },
  E308: {
    title: "wrong arguments",
    explanation: "The call has too many, too few, or unknown arguments.",
    example: "let name = lower()\n",
  },
  E309: {
    title: "wrong argument type",
    explanation: "The function expects another type for this argument.",
    example: "let name = lower(5)\n",
  },
  E310: {
    title: "invalid host pattern",
    explanation:
      "A host name or pattern has no scheme, port or path. `*` matches any sequence of letters, digits, `-` and `.`.",
    example: 'sandbox "build" { allow = ["https://example.org/"] }\n',
  },
  E311: {
    title: "wrong block kind",
    explanation: "The attribute accepts blocks of one kind only.",
    example:
      'updates "main" { listen = "127.0.0.1:1" }\nhook "deploy" {\n  run = ["true"]\n  run_in = updates.main\n}\n',
  },
  E312: {
    title: "invalid arithmetic result",
    explanation: "The calculation divides by zero or overflows.",
    example: "let share = 1 / 0\n",
  },
  E313: {
    title: "function failed",
    explanation:
      "The function cannot process these values, such as invalid JSON or an invalid address. `try(…, default)` supplies a fallback.",
    example: 'let data = json_decode("{")\n',
  },
  E314: {
    title: "condition is not a boolean",
    explanation: "A condition must be true or false; other values are not converted.",
    example: 'if 1 {\n  sandbox "build" {}\n}\n',
  },
  E315: {
    title: "value is not iterable",
    explanation:
      "`for` and `[*]` iterate over lists; `for name, value in …` also iterates over objects.",
    example: 'for repo in "api" {\n  sandbox "build" {}\n}\n',
  },
  E316: {
    title: "wrong expression result type",
    explanation: "The result of this run-time expression does not fit the attribute.",
    example: 'hook "deploy" {\n  run = ["true"]\n  when = "${payload.ref}"\n}\n',
  },
  E317: {
    title: "invalid list length",
    explanation: "The list has too many, too few, or duplicate elements.",
    example: 'hook "deploy" {\n  run = []\n}\n',
  },
  E318: {
    title: "duplicate object key",
    explanation: "Each key appears once in an object.",
    example: "let ports = { http = 80, http = 8080 }\n",
  },
  E319: {
    title: "value cannot be interpolated",
    explanation:
      "Strings can contain strings, numbers, booleans, durations, sizes and percentages. Convert lists and objects with `join` or `json_encode`.",
    example: 'let all = "repositories: ${["api", "web"]}"\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
