/**
 * The JSON equivalent of the language, `*.reeve.json`, as the same tree. What a name in JSON cannot tell by itself is
 * told by names with a dollar sign:
 *
 *     { "$let": { "org": "example" },
 *       "hook": { "$block": ["deploy"], "$doc": "…", "timeout": { "$expr": "10m" },
 *                 "verify": [{ "$block": ["hmac"], … }] } }
 *
 * Strings, numbers, truth values, null, lists and objects stand for themselves; everything else is `{ "$expr": "…" }`.
 */
import { parse as parseJson, type ValueNode } from "@humanwhocodes/momoa";
import type { Diagnostic, Source } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { JsonBody } from "./body.js";

/** Brackets inside each other; as in the language itself. */
const NESTING = 64;

export function readJsonSource(source: Source): {
  readonly tree: tree.File;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { path, text } = source;
  const whole = { start: 0, end: text.length };
  const empty: tree.File = { kind: "file", ...whole, items: [] };
  const root = parsed(text, path);
  if ("code" in root) return { tree: empty, diagnostics: [root] };
  if (root.type !== "Object") {
    const wrong = createDiagnostic(
      "E511",
      locationIn(path, whole),
      "a configuration in JSON is an object",
    );
    return { tree: empty, diagnostics: [wrong] };
  }
  const diagnostics: Diagnostic[] = [];
  const body = new JsonBody(source, (diagnostic) => diagnostics.push(diagnostic));
  return { tree: { ...empty, items: body.items(root, "file") }, diagnostics };
}

function parsed(text: string, path: string): ValueNode | Diagnostic {
  const deep = tooDeep(text);
  if (deep !== undefined) {
    const location = locationIn(path, { start: deep, end: deep + 1 });
    return createDiagnostic("E511", location, `this is nested more than ${NESTING} deep`);
  }
  try {
    return parseJson(text, { mode: "json", ranges: true }).body;
  } catch (thrown) {
    const { offset = text.length } = thrown as { readonly offset?: number };
    const found = text[offset];
    const label = found === undefined ? "the file ends too early" : `unexpected \`${found}\``;
    const location = locationIn(path, { start: offset, end: Math.min(offset + 1, text.length) });
    return createDiagnostic("E511", location, "this is not JSON", { label });
  }
}

/** Where the nesting goes too deep; strings are skipped. */
function tooDeep(text: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    if (depth > NESTING) return index;
  }
  return undefined;
}
