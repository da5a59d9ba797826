/** `E5…`: what is read from outside; `E7…`: what tests found. */
import type { ConfigurationCode } from "./entry.js";

export const inputCodes = {
  E501: {
    title: "file not found",
    explanation: "A file that is imported or read is not there.",
    example: 'let notice = file("notice.txt")\n',
  },
  E502: {
    title: "path outside the configuration",
    explanation:
      "The daemon reads files in and below the configuration's directory only, after following links. `daemon { allow_paths = […] }` allows more.",
    example: 'let users = file("/etc/passwd")\n',
  },
  E503: {
    title: "environment variable not set",
    explanation:
      "The daemon's environment does not contain this variable. A default makes it optional.",
    example: 'let region = env("REEVE_EXAMPLE_NOT_SET")\n',
  },
  E505: {
    title: "configuration not found",
    explanation: "The root file does not exist. A running daemon keeps its configuration.",
    example: () => ({}),
  },
  E506: {
    title: "not text",
    explanation: "The file is not UTF-8 text.",
    example: () => ({
      "main.reeve": 'let picture = file("logo.png")\n',
      "logo.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff]),
    }),
  },
  E507: {
    title: "unreadable file",
    explanation: "The file exists, but reading it fails; the message gives the reason.",
    example: 'let all = file(".")\n',
  },
  E508: {
    title: "unknown secret source",
    explanation:
      "Name the source of a secret: `env:NAME`, `file:PATH`, or `<plugin>:…` for plugins that store secrets.",
    example: 'let token = secret("hunter2")\n',
  },
  E509: {
    title: "unavailable secret",
    explanation:
      "The daemon reads secrets when it prepares a configuration. Reading one failed; the running configuration stays.",
    example:
      'hook "deploy" {\n  run = ["true"]\n  verify "hmac" {\n    header = "X-Signature"\n    secret = secret("env:REEVE_EXAMPLE_NOT_SET")\n  }\n}\n',
  },
  E510: {
    title: "plugin function failed",
    explanation: "The plugin's function refused; the message gives its reason.",
    example: 'plugin "acme" { source = "npm:acme" }\nlet name = acme.initials("")\n',
  },
  E511: {
    title: "invalid JSON configuration",
    explanation: "The file must be valid JSON in the structure that the reference describes.",
    example: () => ({
      "main.reeve": 'import "./more.reeve.json"\n',
      "more.reeve.json": '{ "sandbox": { "memory": 5 } }\n',
    }),
  },
  E512: {
    title: "plugin validation failed",
    explanation: "The plugin failed while it validated its blocks. This is a bug in the plugin.",
    example: 'plugin "acme" { source = "npm:acme" }\nacme.chat "ops" { room = "#crash" }\n',
  },
  E701: {
    title: "test failed",
    explanation:
      "An expectation of a `test` block is false, or a rejected condition holds. The message shows the values of its parts.",
    example: 'test "one and one" {\n  expect = 1 + 1 == 3\n}\n',
  },
  E702: {
    title: "test cannot be evaluated",
    explanation:
      "The test uses something without a value, such as a missing condition or the value of a secret.",
    example: 'sandbox "build" {}\ntest "conditions" {\n  expect = matches(sandbox.build, {})\n}\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
