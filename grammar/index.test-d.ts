/** What the room promises the compiler. Compiled with everything else; never run. */
import type { Diagnostic, ExpressionNode, Formatted, Item, Source } from "./index.js";
import { format, parse, parseExpression, suggest, tokenize } from "./index.js";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>(): void => undefined;

const source: Source = { path: "main.reeve", text: "" };
holds<Equal<ReturnType<typeof parse>["diagnostics"], readonly Diagnostic[]>>();
holds<Equal<ReturnType<typeof parseExpression>["expression"], ExpressionNode>>();
holds<Equal<ReturnType<typeof suggest>, string | undefined>>();

/** Every item and expression has its own `kind`: a new kind makes these functions incomplete. */
export const isStructural = (item: Item): boolean => {
  switch (item.kind) {
    case "for":
    case "if":
    case "use":
    case "mixin":
      return true;
    case "let":
    case "param":
    case "import":
    case "attribute":
    case "block":
    case "bad_item":
      return false;
  }
};

const formatted: Formatted = format("");
if (formatted.text === undefined)
  holds<Equal<typeof formatted.diagnostics, readonly Diagnostic[]>>();
else holds<Equal<typeof formatted.text, string>>();

// @ts-expect-error -- a source has a path, so that diagnostics can name it
parse({ text: "" });
// @ts-expect-error -- the tree is read-only
parse(source).tree.items = [];
// @ts-expect-error -- tokens are read-only
tokenize(source).push({ kind: "name", start: 0, end: 0 });
