/** Finds unknown keys. The existing server ignores them, so a misspelled rule protects nothing. */
import type { HooksFileIssue, HooksFileNode } from "./tree.js";

interface Shape {
  readonly [key: string]: Shape | (() => Shape) | null;
}

const reference: Shape = { source: null, name: null, envname: null, base64decode: null };
const match: Shape = {
  type: null,
  value: null,
  regex: null,
  secret: null,
  "ip-range": null,
  parameter: reference,
};
const rule: Shape = { and: () => rule, or: () => rule, not: () => rule, match };
const hook: Shape = {
  id: null,
  "execute-command": null,
  "command-working-directory": null,
  "response-message": null,
  "response-headers": { name: null, value: null },
  "success-http-response-code": null,
  "incoming-payload-content-type": null,
  "http-methods": null,
  "include-command-output-in-response": null,
  "include-command-output-in-response-on-error": null,
  "parse-parameters-as-json": reference,
  "pass-arguments-to-command": reference,
  "pass-environment-to-command": reference,
  "pass-file-to-command": reference,
  "trigger-rule": rule,
  "trigger-rule-mismatch-http-response-code": null,
  "trigger-signature-soft-failures": null,
};

export function unknownKeys(tree: HooksFileNode | undefined): readonly HooksFileIssue[] {
  return tree ? within(tree, hook) : [];
}

function within(node: HooksFileNode, shape: Shape): readonly HooksFileIssue[] {
  if (node.kind === "list") return node.items.flatMap((item) => within(item, shape));
  if (node.kind === "scalar") return [];
  return node.members.flatMap(({ name, value, position }) => {
    const key = name.toLowerCase();
    if (!Object.hasOwn(shape, key)) {
      const near = Object.keys(shape).find((known) => alike(known, key));
      const help =
        near === undefined
          ? `keys here are ${Object.keys(shape).join(", ")}`
          : `did you mean \`${near}\`?`;
      return [{ position, message: `\`${name}\` means nothing here`, help }];
    }
    const inner = shape[key];
    if (!inner) return [];
    return within(value, typeof inner === "function" ? inner() : inner);
  });
}

/** The same but for dashes, or one letter added, missing or changed. */
function alike(known: string, key: string): boolean {
  const bare = (text: string): string => text.replace(/[-_ ]/g, "");
  const [a, b] = [bare(known), bare(key)];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - same && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - same - end <= 1;
}
