/** `E2…`: names in expressions and what they mean. */
import type { ConfigurationCode } from "./entry.js";

export const referenceCodes = {
  E201: {
    title: "name that means nothing",
    explanation:
      "A bare name is a loop variable, the name of an imported file, a run-time name of the attribute, or a kind of block. Values of the file are `let.name`.",
    example: 'let memory = 1GiB\nsandbox "build" { memory = memory }\n',
  },
  E202: {
    title: "unknown `let`",
    explanation:
      "A `let` is seen in the body it stands in and in everything inside of it, but not in other files.",
    example: 'let memory = 1GiB\nsandbox "build" { memory = let.memroy }\n',
  },
  E203: {
    title: "unknown function",
    explanation:
      "The language has a fixed set of functions, listed in its reference; plugins add theirs under their name. There is no clock, no chance and no command among them: the same text gives the same configuration.",
    example: "let started = now()\n",
  },
  E204: {
    title: "unknown mixin",
    explanation:
      "`use mixin.name` names a mixin of the same file, `use file.mixin.name` one of a file imported `as file`.",
    example: 'sandbox "build" { use mixin.small }\n',
  },
  E205: {
    title: "value of another file",
    explanation:
      'After `import "teams.reeve" as teams` the values of that file are `teams.let.name`.',
    example: () => ({
      "main.reeve": 'import "./teams.reeve" as teams\nlet all = teams.members\n',
      "teams.reeve": 'let members = ["ada"]\n',
    }),
  },
  E206: {
    title: "name taken",
    explanation:
      "No name hides another one: what a name means never depends on how far away it was given.",
    example: "let a = 1\nlet a = 2\n",
  },
  E207: {
    title: "lets in a circle",
    explanation: "A value cannot be made of itself. The whole way round is shown.",
    example: "let a = let.b + 1\nlet b = let.a + 1\n",
  },
  E208: {
    title: "mixins in a circle",
    explanation: "A mixin cannot use itself, on however many ways round.",
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
    title: "blocks in a circle",
    explanation: "Two blocks read values of each other that need each other.",
    example: 'updates "a" { listen = updates.b.url }\nupdates "b" { listen = updates.a.url }\n',
  },
  E212: {
    title: "no such block",
    explanation:
      "A reference to a block is checked: the block must exist in the whole configuration.",
    example: 'hook "deploy" {\n  run = ["true"]\n  run_in = sandbox.biuld\n}\nsandbox "build" {}\n',
  },
  E213: {
    title: "nothing to read there",
    explanation:
      "Of another block only what its plugin exports can be read. Share other values with a `let`.",
    example:
      'sandbox "build" { memory = 1GiB }\nsandbox "test" { memory = sandbox.build.memory }\n',
  },
  E214: {
    title: "known only at run time",
    explanation:
      "Names such as `payload` have a value only when something happens. They stand in attributes made for that, and nothing that has to be known now may depend on them.",
    example: 'hook "deploy" {\n  run = payload.commands\n}\n',
  },
  E215: {
    title: "secret where it would be seen",
    explanation:
      "Whatever a secret touches is a secret. It goes into attributes that take secrets, and decides about nothing else.",
    example:
      'let token = secret("env:TOKEN")\nsettings "${let.token}" {\n  schema = "zls"\n  watch = []\n}\n',
  },
  E216: {
    title: "too early for blocks",
    explanation:
      "Imports, labels and what stands around blocks are worked out before any block exists, the blocks `daemon` and `plugin` before any plugin does.",
    example:
      'if updates.main.url == "" {\n  sandbox "build" {}\n}\nupdates "main" { listen = "127.0.0.1:1" }\n',
  },
  E217: {
    title: "no such part",
    explanation:
      "The object has no entry of that name, or the list no element at that position. `??` says what to use then.",
    example: "let ports = { http = 80 }\nlet port = let.ports.https\n",
  },
  E218: {
    title: "part that can never be",
    explanation: "The schema says what is in this run-time value, and this is not.",
    example: 'hook "deploy" {\n  run = ["true"]\n  when = method.name == "x"\n}\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
