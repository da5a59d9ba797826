/** What the plugin reports about a configuration: what each code means, and files that have it. */
export const codes = {
  invalid: {
    title: "invalid network rules",
    explanation: "The network rules of the sandbox contradict each other or cannot be read.",
    example: 'sandbox "build" {\n  upstream_proxy = "ftp://proxy"\n}\n',
  },
  unusable: {
    title: "unusable sandbox",
    explanation: "An attribute is invalid, or this machine cannot provide it, such as a user.",
    example: 'sandbox "build" {\n  user = "no-such-user"\n}\n',
  },
  unavailable: {
    title: "no sandboxes on this machine",
    explanation:
      "A program that sandboxes need is not installed; the message has the command that installs it.",
    reason: "It depends on programs of the machine, which the test has.",
  },
} as const;
