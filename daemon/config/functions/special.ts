/** Functions that the evaluator implements: missing values and inputs from outside the text. */
import { ANY, BOOLEAN, STRING, unionOf } from "../types/type.js";
import type { FunctionSignature } from "./signature.js";

export const specialFunctions: readonly FunctionSignature[] = [
  {
    name: "coalesce",
    doc: "The first of its arguments that is there and not null; like a chain of `??`.",
    parameters: [{ name: "values", type: ANY, rest: true }],
    returns: unionOf,
    examples: [['coalesce(null, "a", "b")', '"a"']],
  },
  {
    name: "try",
    doc: "The first argument, or the second where the first is missing or cannot be computed. Unknown names stay errors.",
    parameters: [
      { name: "value", type: ANY },
      { name: "default", type: ANY },
    ],
    returns: unionOf,
    examples: [['try(json_decode("{"), "unreadable")', '"unreadable"']],
  },
  {
    name: "defined",
    doc: "Whether a value is there; null is. Meant for run-time names and keys of objects.",
    parameters: [{ name: "value", type: ANY }],
    returns: BOOLEAN,
    examples: [
      ["defined({ a = 1 }.b)", "false"],
      ["defined({ a = null }.a)", "true"],
    ],
  },
  {
    name: "env",
    doc: "An environment variable of the daemon, or `default` where it is not set. A change is seen by the next reload.",
    parameters: [
      { name: "name", type: STRING },
      { name: "default", type: ANY, optional: true },
    ],
    returns: STRING,
    examples: [['env("REEVE_NOT_SET", default = "none")', '"none"']],
  },
  {
    name: "file",
    doc: "The text of a file, relative to the file it is written in, below the configuration's directory or one of `daemon { allow_paths }`. A change of it is a reason to reload.",
    parameters: [{ name: "path", type: STRING }],
    returns: STRING,
    examples: [['try(file("not-there.txt"), "absent")', '"absent"']],
  },
  {
    name: "secret",
    doc: 'A value that is never shown: `secret("env:NAME")`, `secret("file:PATH")` or `secret("<plugin>:…")`. It is read when a configuration is prepared, not while it is checked.',
    parameters: [{ name: "reference", type: STRING }],
    returns: STRING,
    examples: [],
  },
  {
    name: "postgres",
    doc: 'A PostgreSQL database by its address, for `daemon { store = … }`: `postgres(secret("env:REEVE_DATABASE_URL"))`. The address holds a password, so it has to be a secret.',
    parameters: [{ name: "url", type: STRING }],
    returns: ANY,
    examples: [],
  },
];
