/** `E2…`: names in expressions and what they mean. */
import type { ConfigurationCode } from "./entry.js";

export const referenceCodes = {
  E201: {
    title: "unknown name",
    explanation:
      "A bare name is a loop variable, the name of an imported file, a run-time name of the attribute, or a kind of block. Values of the file are `let.name`.",
    example: 'let memory = 1GiB\nsandbox "build" { memory = memory }\n',
  },
  E202: {
    title: "unknown `let`",
    explanation: "A `let` is visible in its own body and in nested bodies, but not in other files.",
    example: 'let memory = 1GiB\nsandbox "build" { memory = let.memroy }\n',
  },
  E203: {
    title: "unknown function",
    explanation:
      "The language has a fixed set of functions, listed in its reference; plugins add functions under their own name. No function returns the time, random values or command output: the same text always gives the same configuration.",
    example: "let started = now()\n",
  },
  E204: {
    title: "unknown mixin",
    explanation:
      "`use mixin.name` names a mixin of the same file, `use file.mixin.name` one of a file imported `as file`.",
    example: 'sandbox "build" { use mixin.small }\n',
  },
  E205: {
    title: "value from another file",
    explanation:
      'After `import "teams.reeve" as teams` the values of that file are `teams.let.name`.',
    example: () => ({
      "main.reeve": 'import "./teams.reeve" as teams\nlet all = teams.members\n',
      "teams.reeve": 'let members = ["ada"]\n',
    }),
  },
  E206: {
    title: "name already in use",
    explanation: "No name hides another, so the meaning of a name never depends on distance.",
    example: "let a = 1\nlet a = 2\n",
  },
  E207: {
    title: "circular `let`",
    explanation: "A value cannot depend on itself. The message shows the whole cycle.",
    example: "let a = let.b + 1\nlet b = let.a + 1\n",
  },
  E208: {
    title: "circular mixins",
    explanation: "A mixin cannot use itself, directly or through other mixins.",
    example:
      'mixin "a" { use mixin.b }\nmixin "b" { use mixin.a }\nsandbox "build" { use mixin.a }\n',
  },
  E209: {
    title: "imports in a circle",
    explanation: "Files cannot import each other. Move what both need into a third file.",
    example: () => ({
      "main.reeve": 'import "./teams.reeve"\n',
      "teams.reeve": 'import "./main.reeve"\n',
    }),
  },
  E210: {
    title: "circular blocks",
    explanation: "Blocks cannot depend on each other's values in a cycle.",
    example: 'updates "a" { listen = updates.b.url }\nupdates "b" { listen = updates.a.url }\n',
  },
  E212: {
    title: "unknown block reference",
    explanation: "A referenced block must exist in the configuration.",
    example: 'hook "deploy" {\n  run = ["true"]\n  run_in = sandbox.biuld\n}\nsandbox "build" {}\n',
  },
  E213: {
    title: "attribute not exported",
    explanation:
      "Expressions can read only the values that a block's plugin exports. Share other values with a `let`.",
    example:
      'sandbox "build" { memory = 1GiB }\nsandbox "test" { memory = sandbox.build.memory }\n',
  },
  E214: {
    title: "run-time value used at load time",
    explanation:
      "Names such as `payload` have a value only at run time. Use them only in attributes that accept run-time expressions; load-time values cannot depend on them.",
    example: 'hook "deploy" {\n  run = payload.commands\n}\n',
  },
  E215: {
    title: "exposed secret",
    explanation:
      "A value derived from a secret is secret. Use it only in attributes that accept secrets; it cannot decide conditions.",
    example:
      'let token = secret("env:TOKEN")\nsettings "${let.token}" {\n  schema = "zls"\n  watch = []\n}\n',
  },
  E216: {
    title: "block reference evaluated too early",
    explanation:
      "Imports, labels and items around blocks are evaluated before any block exists, and `daemon` and `plugin` blocks before any plugin is loaded.",
    example:
      'if updates.main.url == "" {\n  sandbox "build" {}\n}\nupdates "main" { listen = "127.0.0.1:1" }\n',
  },
  E217: {
    title: "missing element or entry",
    explanation:
      "The object has no such entry, or the list has no element at that index. `??` supplies a fallback.",
    example: "let ports = { http = 80 }\nlet port = let.ports.https\n",
  },
  E218: {
    title: "unknown field of a run-time value",
    explanation: "The schema of this run-time value has no such field.",
    example: 'hook "deploy" {\n  run = ["true"]\n  when = method.name == "x"\n}\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
