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
import type { ValueNode } from "@humanwhocodes/momoa";
import type { Diagnostic, Source } from "../../../grammar/diagnostic.js";
import type { Parsed } from "../../../grammar/parse.js";
import { atOnce, type InParts } from "../../../grammar/reading/read-file.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { JsonBody } from "./body.js";
import { parseJsonInParts, TooDeep } from "./parts.js";

/** Brackets inside each other; as in the language itself. */
const NESTING = 64;

export const readJsonSource = (source: Source): Parsed => atOnce(readJsonInParts(source));

/** The same in parts of a block each; a text that is not JSON is one part. */
export function* readJsonInParts(source: Source): InParts<Parsed> {
  const { path, text } = source;
  const whole = { start: 0, end: text.length };
  const empty: tree.File = { kind: "file", ...whole, items: [] };
  const root = yield* parsed(text, path);
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
  return { tree: { ...empty, items: yield* body.fileInParts(root) }, diagnostics };
}

function* parsed(text: string, path: string): InParts<ValueNode | Diagnostic> {
  try {
    return yield* parseJsonInParts(text, NESTING);
  } catch (thrown) {
    const { offset = text.length } = thrown as { readonly offset?: number };
    const location = locationIn(path, { start: offset, end: Math.min(offset + 1, text.length) });
    if (thrown instanceof TooDeep) {
      return createDiagnostic("E511", location, `this is nested more than ${NESTING} deep`);
    }
    const found = text[offset];
    const label = found === undefined ? "the file ends too early" : `unexpected \`${found}\``;
    return createDiagnostic("E511", location, "this is not JSON", { label });
  }
}
