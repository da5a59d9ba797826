/** Definitions and uses of names: what they are, and what is visible where. */
import type { Import, Span } from "../../../grammar/tree.js";

export type SymbolKind = "let" | "mixin" | "alias" | "variable" | "block";

export interface SymbolUse {
  /** The same for a definition and all its uses, in every file. */
  readonly key: string;
  readonly kind: SymbolKind;
  readonly name: string;
  /** The name alone; of a block the label, quotes included where it has them. */
  readonly span: Span;
  readonly isDefinition: boolean;
  /** Of a definition: whether a `use` or `import` can give its value. */
  readonly isParameter?: boolean;
  /** Of a definition: the whole item. */
  readonly item?: Span;
  /** Of a definition: where its name is visible; absent: the whole file, or all files. */
  readonly scope?: Span;
  readonly doc?: string;
}

export interface FileSymbols {
  readonly uses: readonly SymbolUse[];
  /** Absolute paths and patterns of imports. */
  readonly imports: ReadonlyArray<{ readonly path: string; readonly node: Import }>;
  /** Paths of names that no definition explains: run-time names with the members read from them. */
  readonly members: ReadonlySet<string>;
  /** The kinds of the blocks, from the outside in, that use a mixin of this name. */
  usersOf(mixin: string): ReadonlyArray<readonly string[]>;
}

export const letKey = (path: string, name: string): string => `let ${path}#${name}`;
export const mixinKey = (path: string, name: string): string => `mixin ${path}#${name}`;

/** A parameter of a mixin. That of a file is a `let` of it. */
export const parameterKey = (path: string, mixin: string, name: string): string =>
  `let ${path}#${mixin}(${name})`;

/** The names that are visible in a body. */
export class VisibleNames {
  readonly lets = new Map<string, string>();
  readonly variables = new Map<string, string>();
  readonly #outer: VisibleNames | undefined;

  constructor(outer: VisibleNames | undefined) {
    this.#outer = outer;
  }

  let(name: string): string | undefined {
    return this.lets.get(name) ?? this.#outer?.let(name);
  }

  variable(name: string): string | undefined {
    return this.variables.get(name) ?? this.#outer?.variable(name);
  }
}
