/** What the plugin reports about a configuration: what each code means, and files that have it. */
const block = (more: string, name = "zls") =>
  `settings "${name}" {\n  watch = ["./${name}.json"]\n  ${more}\n}\n`;

export const codes = {
  schema: {
    title: "unusable schema",
    explanation:
      "Reeve does not know the server, or the file of its schema is missing or no JSON Schema.",
    example: block('schema = "./tool.schema.json"', "tool"),
  },
  section: {
    title: "unknown section",
    explanation: "The schema has no setting in a section that the block selects.",
    example: block('section = "python.anlysis"', "pyright"),
  },
  value: {
    title: "invalid setting",
    explanation: "The server's schema refuses a value in `override`.",
    example: block('override = { warn_style = "yes" }'),
  },
  unknown_key: {
    title: "unknown setting",
    explanation:
      "The server's schema does not have the setting in `override`; most servers ignore it.",
    example: block("override = { enable_snipets = true }"),
  },
  circle: {
    title: "settings written into a watched file",
    explanation: "`write` names a file that `watch` or `workspace` reads.",
    example: block('write = "./zls.json"'),
  },
} as const;
