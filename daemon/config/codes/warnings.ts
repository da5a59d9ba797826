/** `W…`: what works and deserves a look. */
import type { ConfigurationCode } from "./entry.js";

export const warningCodes = {
  W101: {
    title: "deprecated attribute",
    explanation:
      "It still works, and will not for ever. `reeve fix` renames where that is all there is to it.",
    example: 'settings "zls" {\n  schema = "zls"\n  watch = []\n  delay = 100ms\n}\n',
  },
  W102: {
    title: "deprecated block",
    explanation: "Blocks of this kind still work, and will not for ever.",
    example: 'hook "deploy" {\n  run = ["true"]\n  signature "hmac" {}\n}\n',
  },
  W104: {
    title: "import of nothing",
    explanation:
      "No file matches the pattern. That may be right; a misspelt pattern looks the same.",
    example: 'import "./teams/*.reeve"\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
