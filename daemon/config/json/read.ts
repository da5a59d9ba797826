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
import { parse, type ValueNode } from "@humanwhocodes/momoa";
import type { Diagnostic, Source } from "../../../grammar/diagnostic.js";
import type { Parsed } from "../../../grammar/parse.js";
import { atOnce, type InParts } from "../../../grammar/reading/read-file.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { JsonBody } from "./body.js";
import { parseJsonInParts, TOKEN, TooDeep } from "./parts.js";

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
    const at = (offset: number) =>
      locationIn(path, { start: offset, end: Math.min(offset + 1, text.length) });
    const offset = offsetOf(thrown, text);
    if (thrown instanceof TooDeep) {
      return createDiagnostic("E511", at(offset), `this is nested more than ${NESTING} deep`);
    }
    const open = unclosed(text);
    if (open && endsEarly(text)) {
      const label = `expected \`${CLOSING[open.bracket]}\``;
      const message = `this is not JSON: \`${open.bracket}\` is never closed`;
      return createDiagnostic("E511", at(open.offset), message, { label });
    }
    const found = text[offset];
    const label = found === undefined ? "the file ends too early" : `unexpected \`${found}\``;
    return createDiagnostic("E511", at(offset), "this is not JSON", { label });
  }
}

const offsetOf = (thrown: unknown, text: string): number =>
  (thrown as { readonly offset?: number }).offset ?? text.length;

const CLOSING = { "{": "}", "[": "]" } as const;

/** The innermost bracket that is open at the end. */
function unclosed(text: string) {
  const open: Array<{ readonly bracket: "{" | "["; readonly offset: number }> = [];
  for (const { 0: token, index: offset } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push({ bracket: token, offset });
    else if (token === "}" || token === "]") open.pop();
  }
  return open.at(-1);
}

/** What the end of a text may have cut: an escape, a number or a word. */
const CUT =
  /(?:\\(?:u[\da-fA-F]{0,3})?|-|-?\d+(?:\.|(?:\.\d+)?[eE][-+]?)|\b(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?))$/;
/** Characters that are enough for one. */
const CUT_LENGTH = 64;

/** Whether the text is right up to its end: the parser names the last token for what is missing after it. */
function endsEarly(text: string): boolean {
  const [cut = ""] = CUT.exec(text.slice(-CUT_LENGTH)) ?? [];
  try {
    // No JSON contains this character outside of strings.
    parse(`${text}?`, { mode: "json" });
  } catch (thrown) {
    return offsetOf(thrown, text) >= text.length - cut.length;
  }
  return false;
}
