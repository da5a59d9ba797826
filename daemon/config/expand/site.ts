/** Items with their evaluation context: the result of expansion. */
import type { ExpansionStep } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { LexicalScope, MixinDefinition } from "../evaluate/scope.js";

interface Site<Item> {
  readonly node: Item;
  readonly scope: LexicalScope;
  /** How it came to be, innermost first. */
  readonly trace: readonly ExpansionStep[];
}

export type AttributeSite = Site<tree.AttributeNode>;
export type BlockSite = Site<tree.BlockNode>;

/** A `use` and its mixin. */
export interface MixinUse extends Site<tree.Use> {
  readonly mixin: MixinDefinition;
}

/** A body without structure: every `for` and `if` is carried out, mixins are named but not merged. */
export interface FlatBody {
  readonly attributes: AttributeSite[];
  readonly blocks: BlockSite[];
  readonly uses: MixinUse[];
}
