/** `E1…`: attributes, blocks and where they stand. */
import type { ConfigurationCode } from "./entry.js";

export const nameCodes = {
  E101: {
    title: "unknown attribute",
    explanation:
      "A block has the attributes that its plugin describes, and no others. What is nearest to the name is suggested; `reeve fix` renames.",
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  debuonce = 100ms\n}\n',
  },
  E102: {
    title: "unknown block",
    explanation:
      "No plugin brings a block of this kind, or a block of this kind does not stand inside of that one.",
    example: 'sandbx "build" {}\n',
  },
  E103: {
    title: "attribute missing",
    explanation: "The plugin needs this attribute and has no default for it.",
    example: 'hook "deploy" {}\n',
  },
  E104: {
    title: "attribute given twice",
    explanation:
      "Each attribute is given once in a block, also where `if` and `for` add to it. Both places are shown.",
    example: 'sandbox "build" {\n  memory = 1GiB\n  memory = 2GiB\n}\n',
  },
  E105: {
    title: "block given twice",
    explanation:
      "Kind and name together say which block it is, so there is one of each in the whole configuration. Nested blocks may repeat.",
    example: 'sandbox "build" {}\nsandbox "build" {}\n',
  },
  E106: {
    title: "name of a block",
    explanation:
      "A block has as many names behind its kind as its plugin says, of the form its plugin says.",
    example: "sandbox {}\n",
  },
  E107: {
    title: "too many or too few nested blocks",
    explanation: "The plugin says how many nested blocks of a kind there may be.",
    example:
      'hook "deploy" {\n  run = ["true"]\n  response { status = 200 }\n  response { status = 201 }\n}\n',
  },
  E108: {
    title: "in the wrong place",
    explanation:
      "Attributes stand in blocks; `import`, `mixin`, `daemon` and `plugin` stand at the top of a file, where nothing decides about them.",
    example: "timeout = 10s\n",
  },
  E109: {
    title: "attribute removed",
    explanation: "It was there in an earlier version of the plugin; what to use instead is named.",
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  path = "./zls.json"\n}\n',
  },
  E110: {
    title: "two mixins disagree",
    explanation:
      "Two mixins that one body uses give the same attribute. Give it in the body itself to decide.",
    example:
      'mixin "small" { memory = 1GiB }\nmixin "large" { memory = 8GiB }\nsandbox "build" {\n  use mixin.small\n  use mixin.large\n}\n',
  },
  E111: {
    title: "plugin not declared",
    explanation:
      'Blocks of third-party plugins are written under a name that `plugin "…"` binds. The daemon installs nothing by itself.',
    example: 'chat.room "ops" {}\n',
  },
  E112: {
    title: "plugins cannot be loaded",
    explanation: "Something went wrong before the plugins could even be asked what they are.",
    example: 'plugin "unloadable" { source = "npm:unloadable" }\n',
  },
  E113: {
    title: "unknown edition",
    explanation:
      "`daemon { language = … }` names the edition of the language the files are written in. Use a release that knows it.",
    example: "daemon { language = 99 }\n",
  },
  E114: {
    title: "`daemon` block out of place",
    explanation: "There is at most one `daemon` block, in the root file.",
    example: "daemon {}\ndaemon {}\n",
  },
  E115: {
    title: "import that cannot be",
    explanation:
      "An import names files that end in `.reeve` or `.reeve.json`. Several files, named by a pattern, have no common name behind `as`.",
    example: 'import "./notes.txt"\n',
  },
  E120: {
    title: "faulty plugin",
    explanation:
      "What the plugin says about itself does not hold together. That is a fault of the plugin: tell its author.",
    example: 'plugin "faulty" { source = "npm:faulty" }\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
