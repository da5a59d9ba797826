/** What the plugin reports about a configuration: what each code means, and files that have it. */
export const codes = {
  invalid: {
    title: "invalid combination",
    explanation: "Attributes of the block are valid by themselves and not together.",
    example:
      'updates "main" {\n  registry "npm_and_yarn" {\n    url = "https://npm.example.org"\n    username = "reeve"\n  }\n}\n',
  },
  second: {
    title: "second `updates` block",
    explanation: "A daemon has at most one `updates` block.",
    example: 'updates "a" {}\nupdates "b" {}\n',
  },
  other_folder: {
    title: "folder that other daemons do not see",
    explanation: "Daemons that share a store also share the folder of their repositories.",
    reason:
      "It compares the folder with records of the shared store, which only a daemon has open.",
  },
} as const;
