/**
 * What need not be worked out again. A block whose text, surroundings and inputs are what they were is the same block: it
 * is taken over from the load before, with everything that working it out would have counted, noted and asked for. So a
 * load with something to take over gives exactly what one without would have given.
 */
import type { ExpansionStep } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { PluginDescription } from "../../plugin-api/descriptor.js";
import { headerLocation } from "../check/block-body.js";
import type { Dependencies } from "../evaluate/dependencies.js";
import type { EvaluationRun, WorkBudget } from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import type { LexicalScope, SourceUnit, Variable } from "../evaluate/scope.js";
import { equalValues } from "../functions/compare.js";
import type { BlockKey, ProgramBlock } from "../program.js";
import type { Value } from "../values/value.js";
import type { BlockInstance, EarlierBlocks } from "./instances.js";
import type { BoundKind } from "./kinds.js";
import { sourceDigest } from "./source-hash.js";

/** A block that was worked out without a complaint, and all that this depended on. */
export interface KeptBlock {
  readonly block: ProgramBlock;
  readonly uses: Dependencies;
  readonly node: tree.BlockNode;
  /** The trees of its file and of all files visible from there. */
  readonly trees: readonly tree.File[];
  readonly variables: readonly Variable[];
  /** Digests of the values of `uses.inputs`. */
  readonly answers: ReadonlyMap<string, string>;
  readonly roots: string;
  /** What working it out took. */
  readonly steps: number;
  readonly blocks: number;
  /** The description of the plugin whose own checks the block passed. */
  acceptedBy?: PluginDescription;
}

export type Kept = ReadonlyMap<BlockKey, KeptBlock>;

/** Takes blocks over from one load, and keeps those of another. */
export class Reuse implements EarlierBlocks {
  readonly #before: Kept;
  readonly #world: EvaluationRun;
  readonly #kept = new Map<BlockKey, KeptBlock>();
  readonly #trees = new Map<SourceUnit, readonly tree.File[]>();
  /** The blocks of the previous load by their node; of one in a `for` the last. */
  #byNode: ReadonlyMap<tree.BlockNode, ProgramBlock> | undefined;

  constructor(before: Kept, world: EvaluationRun) {
    this.#before = before;
    this.#world = world;
  }

  get kept(): Kept {
    return this.#kept;
  }

  /** Keeps none of the blocks of this load. */
  discard(): void {
    this.#kept.clear();
  }

  /** As in `EarlierBlocks`. */
  keyOf(node: tree.BlockNode, kind: BoundKind, labels: readonly string[]): BlockKey | undefined {
    this.#byNode ??= new Map(Array.from(this.#before.values(), (kept) => [kept.node, kept.block]));
    const block = this.#byNode.get(node);
    return block && isOfKind(block, kind) && sameList(block.labels, labels) ? block.key : undefined;
  }

  /** The block of the previous load, if none of its dependencies changed. */
  take(instance: BlockInstance, exists: (key: BlockKey) => boolean): KeptBlock | undefined {
    const kept = this.#before.get(instance.key);
    const world = this.#world;
    if (!kept || !this.#isSame(kept, instance, exists)) return undefined;
    if (!world.canAfford(kept.steps, kept.blocks)) return undefined;
    world.step(kept.steps, () => headerLocation(instance.body.site));
    world.countBlocks(kept.blocks, () => headerLocation(instance.body.site));
    for (const node of kept.uses.lets) world.requested.add(node);
    for (const reference of kept.uses.secrets) world.secrets.add(reference);
    this.#kept.set(instance.key, kept);
    return kept;
  }

  #isSame(
    kept: KeptBlock,
    { body, kind, uses }: BlockInstance,
    exists: (key: BlockKey) => boolean,
  ): boolean {
    const { site } = body;
    const { block } = kept;
    return (
      kept.node === site.node &&
      isOfKind(block, kind) &&
      kept.roots === this.#world.roots.join(":") &&
      sameList(kept.trees, this.#treesSeenFrom(site.scope)) &&
      sameVariables(kept.variables, variablesOf(site.scope)) &&
      sameTrace(block.trace, site.trace) &&
      block.references.every(exists) &&
      [...uses.inputs].every(([key]) => kept.answers.has(key)) &&
      this.#hasSameAnswers(kept)
    );
  }

  /** Asks for every input again, so that all are known to be used. */
  #hasSameAnswers({ uses, answers }: KeptBlock): boolean {
    let same = true;
    for (const [key, need] of uses.inputs) {
      const answer = this.#world.inputs.ask(need);
      if (!answer || sourceDigest(answer) !== answers.get(key)) same = false;
    }
    return same;
  }

  /** Keeps a block that was worked out, unless it took values from others. */
  keep(
    instance: BlockInstance,
    block: ProgramBlock,
    uses: Dependencies,
    before: WorkBudget,
  ): KeptBlock | undefined {
    if (uses.readsBlocks) return undefined;
    const { steps, shared, blocks } = this.#world.effort;
    const { site } = instance.body;
    const kept: KeptBlock = {
      block,
      uses,
      node: site.node,
      trees: this.#treesSeenFrom(site.scope),
      variables: variablesOf(site.scope),
      answers: new Map(
        Array.from(uses.inputs, ([key, need]) => {
          const answer = this.#world.inputs.ask(need);
          return [key, answer ? sourceDigest(answer) : ""];
        }),
      ),
      roots: this.#world.roots.join(":"),
      steps: steps - before.steps - (shared - before.shared),
      blocks: blocks - before.blocks,
    };
    this.#kept.set(instance.key, kept);
    return kept;
  }

  /** Arguments count among what is seen: those of the file, and of the mixins around. */
  #treesSeenFrom(scope: LexicalScope): readonly tree.File[] {
    const callers = callersOf(scope).flatMap(({ unit }) => this.#treesOf(unit));
    const own = this.#treesOf(scope.unit);
    return callers.length === 0 ? own : [...own, ...callers];
  }

  #treesOf(unit: SourceUnit): readonly tree.File[] {
    const known = this.#trees.get(unit);
    if (known) return known;
    const seen = new Set<SourceUnit>();
    const visit = (each: SourceUnit): void => {
      if (seen.has(each)) return;
      seen.add(each);
      for (const alias of each.aliases.values()) visit(alias.unit);
      if (each.scope.given) visit(each.scope.given.scope.unit);
    };
    visit(unit);
    const trees = [...seen].map((each) => each.tree);
    this.#trees.set(unit, trees);
    return trees;
  }
}

const isOfKind = ({ descriptor, plugin }: ProgramBlock, kind: BoundKind): boolean =>
  descriptor === kind.descriptor && plugin === kind.plugin.description.id;

const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, index) => item === b[index]));

/** The scopes that arguments around a block come from, innermost first. */
function callersOf(scope: LexicalScope | undefined): readonly LexicalScope[] {
  if (!scope) return [];
  const { given, parent } = scope;
  return [...(given ? [given.scope, ...callersOf(given.scope)] : []), ...callersOf(parent)];
}

/** The loop variables around a block, and around the arguments that it sees. */
function variablesOf(scope: LexicalScope): readonly Variable[] {
  return [scope, ...callersOf(scope)].flatMap((each) => enclosing(each));
}

const enclosing = (scope: LexicalScope): readonly Variable[] => [
  ...scope.variables,
  ...(scope.parent ? enclosing(scope.parent) : []),
];

const sameVariables = (a: readonly Variable[], b: readonly Variable[]): boolean =>
  a.length === b.length &&
  a.every(({ name, value }, index) => {
    const other = b[index];
    if (other?.name !== name || value instanceof NoValue || other.value instanceof NoValue)
      return false;
    return equalValues(value, other.value as Value);
  });

const sameTrace = (a: readonly ExpansionStep[], b: readonly ExpansionStep[]): boolean =>
  a.length === b.length &&
  a.every(({ description, location }, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      other.description === description &&
      other.location.file === location.file &&
      other.location.start === location.start &&
      other.location.end === location.end
    );
  });
