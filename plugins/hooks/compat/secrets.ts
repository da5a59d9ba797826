/** Collects the secrets of a hooks file, to redact them in logs. */
import type { FileHook, MatchRule } from "./hook.js";

export const secretsIn = ({ rule }: FileHook): readonly string[] => (rule ? within(rule) : []);

/** Keys of signatures, and expected values of headers and query parameters: mostly tokens. */
function within(rule: MatchRule): readonly string[] {
  switch (rule.kind) {
    case "and":
    case "or":
      return rule.rules.flatMap(within);
    case "not":
      return within(rule.rule);
    case "match": {
      const { type, secret, value, parameter } = rule.match;
      const token =
        type === "value" &&
        /^(header|url|query)$/.test(parameter.source) &&
        /token|secret|key|auth|pass|sign/i.test(parameter.name);
      return [secret, token ? value : ""].filter((text) => text !== "");
    }
    default:
      return [];
  }
}
