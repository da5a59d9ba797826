/** What a path of names refers to, apart from the definitions in its file. */
import type { PathStep } from "../../../daemon/config/evaluate/steps.js";
import { blockKey } from "../../../daemon/config/keys.js";
import type { Name, Span } from "../../../grammar/tree.js";
import type { SymbolUse } from "./symbol.js";

/** A run-time name with each member read from it, the outermost first. */
export function memberPaths(base: Name, steps: readonly PathStep[]): readonly string[] {
  const paths: string[] = [];
  let path = base.text;
  for (const step of steps) {
    const name =
      step.kind === "member"
        ? step.name.text
        : step.index?.kind === "string"
          ? step.index.value
          : undefined;
    if (name === undefined) break;
    path += `\u0000${name}`;
    paths.push(path);
  }
  return paths;
}

/** The block that a path names; without `use` where only its kind is written. `undefined` for other paths. */
export function referencedBlock(
  base: Name,
  steps: readonly PathStep[],
  kinds: ReadonlySet<string>,
): { readonly use?: SymbolUse } | undefined {
  const [first] = steps;
  const dotted = first?.kind === "member" ? `${base.text}.${first.name.text}` : "";
  const kind = kinds.has(dotted) ? dotted : base.text;
  if (!kinds.has(kind)) return undefined;
  const step = steps[kind === dotted ? 1 : 0];
  const use = (name: string, span: Span): { readonly use: SymbolUse } => ({
    use: { key: `block ${blockKey(kind, [name])}`, kind: "block", name, span, isDefinition: false },
  });
  if (step?.kind === "member") return use(step.name.text, step.name);
  if (step?.kind === "index" && step.index?.kind === "string")
    return use(step.index.value, step.index);
  return {};
}
