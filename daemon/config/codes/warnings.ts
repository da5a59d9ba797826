/** `W…`: what works and deserves a look. */
import type { ConfigurationCode } from "./entry.js";

export const warningCodes = {
  W101: {
    title: "deprecated attribute",
    explanation:
      "The attribute still works, but a later version will remove it. `reeve fix` renames it where the replacement takes the same value.",
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  delay = 100ms\n}\n',
  },
  W102: {
    title: "deprecated block",
    explanation: "Blocks of this kind still work, but a later version will remove them.",
    example: 'hook "deploy" {\n  run = ["true"]\n  reply {}\n}\n',
  },
  W104: {
    title: "import of nothing",
    explanation:
      "No file matches the pattern. That may be right; a misspelt pattern looks the same.",
    example: 'import "./teams/*.reeve"\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
