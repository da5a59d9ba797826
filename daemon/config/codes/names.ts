/** `E1…`: attributes, blocks and where they stand. */
import type { ConfigurationCode } from "./entry.js";

export const nameCodes = {
  E101: {
    title: "unknown attribute",
    explanation:
      "A block accepts only the attributes that its plugin declares. The message suggests the nearest name; `reeve fix` renames it.",
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  debuonce = 100ms\n}\n',
  },
  E102: {
    title: "unknown block",
    explanation:
      "No plugin declares a block of this kind, or the enclosing block does not accept it.",
    example: 'sandbx "build" {}\n',
  },
  E103: {
    title: "missing attribute",
    explanation: "The attribute is required and has no default.",
    example: 'hook "deploy" {}\n',
  },
  E104: {
    title: "duplicate attribute",
    explanation:
      "A block sets each attribute once, including those set by `if` and `for`. The message shows both locations.",
    example: 'sandbox "build" {\n  memory = 1GiB\n  memory = 2GiB\n}\n',
  },
  E105: {
    title: "duplicate block",
    explanation:
      "Kind and label identify a block, so each combination is unique in the configuration. Nested blocks may repeat.",
    example: 'sandbox "build" {}\nsandbox "build" {}\n',
  },
  E106: {
    title: "invalid block label",
    explanation: "The plugin declares how many labels a block of this kind has, and their format.",
    example: "sandbox {}\n",
  },
  E107: {
    title: "wrong number of nested blocks",
    explanation: "The plugin declares how many nested blocks of this kind a block may have.",
    example:
      'hook "deploy" {\n  run = ["true"]\n  response { status = 200 }\n  response { status = 201 }\n}\n',
  },
  E108: {
    title: "item not allowed here",
    explanation:
      "Attributes stand in blocks; `import`, `mixin`, `daemon` and `plugin` stand at the top of a file, where nothing decides about them.",
    example: "timeout = 10s\n",
  },
  E109: {
    title: "removed attribute",
    explanation:
      "An earlier version of the plugin had this attribute. The message names its replacement.",
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  path = "./zls.json"\n}\n',
  },
  E110: {
    title: "conflicting mixins",
    explanation:
      "Two mixins used by one body set the same attribute. Set it in the body to resolve the conflict.",
    example:
      'mixin "small" { memory = 1GiB }\nmixin "large" { memory = 8GiB }\nsandbox "build" {\n  use mixin.small\n  use mixin.large\n}\n',
  },
  E111: {
    title: "undeclared plugin",
    explanation:
      'Write blocks of third-party plugins under the name that `plugin "…"` declares. The daemon installs nothing by itself.',
    example: 'chat.room "ops" {}\n',
  },
  E112: {
    title: "plugins cannot be loaded",
    explanation: "Loading failed before the daemon could read the plugins' descriptions.",
    example: 'plugin "unloadable" { source = "npm:unloadable" }\n',
  },
  E113: {
    title: "unknown language edition",
    explanation:
      "`daemon { language = … }` names the language edition of the files. Use a release that supports it.",
    example: "daemon { language = 99 }\n",
  },
  E114: {
    title: "misplaced `daemon` block",
    explanation: "A configuration has at most one `daemon` block, in the root file.",
    example: "daemon {}\ndaemon {}\n",
  },
  E115: {
    title: "import that cannot be",
    explanation:
      "An import names files that end in `.reeve` or `.reeve.json`. Several files, named by a pattern, have no common name behind `as`.",
    example: 'import "./notes.txt"\n',
  },
  E120: {
    title: "invalid plugin description",
    explanation:
      "The plugin's description is inconsistent. This is a bug in the plugin: report it to its author.",
    example: 'plugin "faulty" { source = "npm:faulty" }\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
