/** `E5…`: what is read from outside; `E7…`: what tests found. */
import type { ConfigurationCode } from "./entry.js";

export const inputCodes = {
  E501: {
    title: "no such file",
    explanation: "A file that is imported or read is not there.",
    example: 'let notice = file("notice.txt")\n',
  },
  E502: {
    title: "outside the configuration",
    explanation:
      "Files are read from the directory of the configuration and below, wherever links lead. `daemon { allow_paths = […] }` permits more.",
    example: 'let users = file("/etc/passwd")\n',
  },
  E503: {
    title: "environment variable not set",
    explanation: "The daemon's environment has no such variable. A default makes it optional.",
    example: 'let region = env("REEVE_EXAMPLE_NOT_SET")\n',
  },
  E505: {
    title: "no configuration",
    explanation: "The root file is not there. A daemon that runs goes on with what it has.",
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
    title: "file that cannot be read",
    explanation: "The file is there, but reading it fails; the reason is named.",
    example: 'let all = file(".")\n',
  },
  E508: {
    title: "secret without a source",
    explanation:
      "A secret is named by where it is: `env:NAME`, `file:PATH`, or `<plugin>:…` for plugins that keep secrets.",
    example: 'let token = secret("hunter2")\n',
  },
  E509: {
    title: "secret that cannot be had",
    explanation:
      "When a configuration is prepared its secrets are read. One could not be; the configuration that runs stays.",
    example:
      'hook "deploy" {\n  run = ["true"]\n  verify "hmac" {\n    header = "X-Signature"\n    secret = secret("env:REEVE_EXAMPLE_NOT_SET")\n  }\n}\n',
  },
  E510: {
    title: "plugin function without an answer",
    explanation: "The function of the plugin refused; its reason is named.",
    example: 'plugin "acme" { source = "npm:acme" }\nlet name = acme.initials("")\n',
  },
  E511: {
    title: "JSON that is no configuration",
    explanation:
      "The JSON equivalent of the language is JSON, and of the form that its reference describes.",
    example: () => ({
      "main.reeve": 'import "./more.reeve.json"\n',
      "more.reeve.json": '{ "sandbox": { "memory": 5 } }\n',
    }),
  },
  E512: {
    title: "plugin that cannot check",
    explanation: "A plugin failed while it looked at its blocks. That is a fault of the plugin.",
    example: 'plugin "acme" { source = "npm:acme" }\nacme.chat "ops" { room = "#crash" }\n',
  },
  E701: {
    title: "test that fails",
    explanation:
      "What a `test` block expects does not hold, or what it rejects does. The parts of the expression are shown with their values.",
    example: 'test "one and one" {\n  expect = 1 + 1 == 3\n}\n',
  },
  E702: {
    title: "test that cannot be decided",
    explanation:
      "A test asks for something that has no answer: a condition of a block that has none, the value of a secret.",
    example: 'sandbox "build" {}\ntest "conditions" {\n  expect = matches(sandbox.build, {})\n}\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
