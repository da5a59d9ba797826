/** Where a cursor is in the structure of blocks, and what is expected there. */
import type {
  AttributeDescriptor,
  BlockDescriptor,
  TypeDescriptor,
} from "../../../daemon/plugin-api/descriptor.js";
import { type Bracket, pathOf, type TextCursor, textOf } from "./cursor.js";
import type { TextDocument } from "./document.js";
import { typeInside, type Vocabulary } from "./schema.js";
import { insideQuotes } from "./syntax.js";

/** A body around the cursor: a block, a mixin, a loop. */
interface OpenBody {
  /** `hook`, `acme.chat`, `mixin`, `for`, `if`, `else`. */
  readonly kind: string;
  readonly labels: readonly string[];
  readonly start: number;
}

interface Structure {
  /** Outermost first. */
  readonly bodies: readonly OpenBody[];
  /** The block around the cursor; `undefined` at the top of a file, in a mixin and in an unknown block. */
  readonly block: BlockDescriptor | undefined;
  /** The mixin around the cursor. */
  readonly mixin: string | undefined;
}

export type CursorContext =
  /** The start of a statement. */
  | (Structure & { readonly at: "item" })
  /** Behind a block's kind. */
  | (Structure & { readonly at: "label"; readonly kind: string; readonly index: number })
  /** Behind the colon of a parameter. */
  | (Structure & { readonly at: "type" })
  /** Behind `import`. */
  | (Structure & { readonly at: "import" })
  /** Behind `use`. */
  | (Structure & { readonly at: "use" })
  /** In the value of an attribute, a let, a condition, or the collection of a loop. */
  | (Structure & {
      readonly at: "value";
      readonly attribute: (AttributeDescriptor & { readonly name: string }) | undefined;
      /** Of the part of the value that the cursor is in. */
      readonly type: TypeDescriptor | undefined;
      /** The function, mixin or file whose argument it is. */
      readonly call: OpenCall | undefined;
      /** The object whose key is being written. */
      readonly keyOf: TypeDescriptor | undefined;
    });

interface OpenCall {
  /** `lower`, `mixin.signed`, `import ./team.reeve`. */
  readonly name: string;
  /** From 0. */
  readonly argument: number;
  readonly named: string | undefined;
}

const TRANSPARENT = new Set(["for", "if", "else"]);

export function contextAt(
  cursor: TextCursor,
  { text }: TextDocument,
  vocabulary: Vocabulary,
): CursorContext {
  const bodies = cursor.brackets
    .slice(1)
    .filter(({ kind }) => kind === "body")
    .map((bracket) => openBody(bracket, text));
  const kinds = bodies.map(({ kind }) => kind).filter((kind) => !TRANSPARENT.has(kind));
  const mixin = bodies.findLast(({ kind }) => kind === "mixin")?.labels[0];
  const structure: Structure = { bodies, block: vocabulary.block(kinds), mixin };
  const last = cursor.brackets.findLastIndex(({ kind }) => kind === "body");
  const body = cursor.brackets[last];
  if (!body) return { ...structure, at: "item" };
  // The statement without the brackets that are still open in it.
  const inner = cursor.brackets.slice(last + 1);
  const words = body.current.map((token) => textOf(text, token));
  const [first, second] = words;
  if (first === undefined) return { ...structure, at: "item" };
  if (second === "=" || (/^(let|param)$/.test(first) && words.slice(2).includes("="))) {
    const name = second === "=" ? first : undefined;
    return valueAt(structure, name, inner, text);
  }
  if (cursor.interpolated) return valueAt(structure, undefined, inner, text);
  // In the arguments of a mixin or file.
  if (/^(use|import)$/.test(first) && inner.length > 0)
    return valueAt(structure, undefined, inner, text);
  if (first === "param" && second !== undefined && words.includes(":"))
    return { ...structure, at: "type" };
  if (first === "import") return { ...structure, at: "import" };
  if (first === "use") return { ...structure, at: "use" };
  if (first === "if" || (first === "for" && words.includes("in")) || words.at(-2) === "}")
    return valueAt(structure, undefined, inner, text);
  if (/^(for|let|mixin)$/.test(first) || (first === "param" && !words.includes("{")))
    return { ...structure, at: "label", kind: first, index: 0 };
  const kind = headerKind(words);
  const labels = body.current.filter((token) => token.kind === "string").length;
  if (cursor.path.length > 0 || words.length === 0) return { ...structure, at: "item" };
  return { ...structure, at: "label", kind, index: labels };
}

const headerKind = (words: readonly string[]): string =>
  words[1] === "." ? words.slice(0, 3).join("") : (words[0] ?? "");

function openBody({ before, start }: Bracket, text: string): OpenBody {
  const from = before.findLastIndex((token) => textOf(text, token) === "else");
  const header = from >= 0 ? before.slice(from) : before;
  const words = header.map((token) => textOf(text, token));
  const disabled = words[0] === "/-" ? words.slice(1) : words;
  const labels = header
    .filter((token) => token.kind === "string")
    .map((token) => textOf(text, insideQuotes(text, token)));
  return { kind: headerKind(disabled), labels, start };
}

function valueAt(
  structure: Structure,
  name: string | undefined,
  brackets: readonly Bracket[],
  text: string,
): CursorContext {
  const { block } = structure;
  const described =
    name !== undefined && block && Object.hasOwn(block.attributes, name)
      ? block.attributes[name]
      : undefined;
  let type = described?.type;
  let keyOf: TypeDescriptor | undefined;
  let call: OpenCall | undefined;
  for (const bracket of brackets) {
    keyOf = undefined;
    call = undefined;
    if (bracket.kind === "list") type = typeInside(type, { kind: "list" });
    else if (bracket.kind === "object") {
      const key = entryKey(bracket, text);
      if (key === undefined) keyOf = type;
      type = typeInside(type, { kind: "object", key });
    } else if (bracket.kind === "call") {
      call = openCall(bracket, text);
      type = undefined;
    } else if (bracket.kind === "index") type = undefined;
  }
  const attribute = described && name !== undefined ? { ...described, name } : undefined;
  return { ...structure, at: "value", attribute, type, call, keyOf };
}

/** The key of the entry that the cursor is in the value of. */
function entryKey({ current }: Bracket, text: string): string | undefined {
  const [key, equals] = current;
  if (!key || !equals || !/^(=|:|=>)$/.test(textOf(text, equals))) return undefined;
  return key.kind === "string" ? textOf(text, insideQuotes(text, key)) : textOf(text, key);
}

function openCall({ before, current, separators }: Bracket, text: string): OpenCall {
  const [name, equals] = current;
  const isNamed = name?.kind === "name" && equals !== undefined && textOf(text, equals) === "=";
  const [keyword, path] = before;
  const isImport = keyword && path?.kind === "string" && textOf(text, keyword) === "import";
  return {
    name: isImport
      ? `import ${textOf(text, insideQuotes(text, path))}`
      : pathOf(text, before).join("."),
    argument: separators,
    named: isNamed ? textOf(text, name) : undefined,
  };
}
