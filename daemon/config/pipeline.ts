/**
 * Turns sources into a program: a pure function of the available inputs. It lists missing inputs, and `load.ts` runs
 * it again once they are available.
 */

import { dirname } from "node:path";
import { type Diagnostic, type Source } from "../../grammar/diagnostic.js";
import { isTurnOver, nextTurn } from "../plugin-api/turns.js";
import { type CheckedInstance, checkInstances } from "./assemble/blocks.js";
import { readDaemonSettings, readDeclarations, refuseSettings } from "./assemble/declarations.js";
import { Directory } from "./assemble/directory.js";
import { type BlockInstance, instancesOf } from "./assemble/instances.js";
import { Kinds } from "./assemble/kinds.js";
import { type Kept, Reuse } from "./assemble/reuse.js";
import { inputsOf, sourceHash, watchedBy } from "./assemble/source-hash.js";
import { topLevelOf } from "./assemble/top-level.js";
import { faultsOf } from "./check/description.js";
import { defaultSettings } from "./daemon-block.js";
import { collect, createDiagnostic } from "./diagnose.js";
import { EvaluationRun, LimitReached } from "./evaluate/evaluation-run.js";
import { evaluate } from "./evaluate/expression.js";
import { checkUnused } from "./evaluate/lets.js";
import { gatherUnits } from "./expand/gather.js";
import { type InputRequest, Inputs, type InputValue } from "./inputs.js";
import {
  type BlockKey,
  type BoundCatalog,
  type DaemonSettings,
  type PluginDeclaration,
  type Program,
  type TestOutcome,
} from "./program.js";
import { runTests } from "./test-blocks/run-tests.js";

export type Pass =
  | { readonly kind: "wanting"; readonly needs: readonly InputRequest[] }
  /** The plugins are declared; the catalog has to bind them. */
  | { readonly kind: "unbound"; readonly declarations: readonly PluginDeclaration[] }
  | { readonly kind: "finished"; readonly result: Result };

export interface Result {
  /** What was made, whether or not it is free of errors. */
  readonly program: Program;
  readonly checked: readonly CheckedInstance[];
  readonly instances: ReadonlyMap<BlockKey, BlockInstance>;
  readonly world: EvaluationRun;
  readonly tests: readonly TestOutcome[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, Source>;
  readonly watch: readonly string[];
  /** Blocks that the next load may take over. */
  readonly kept: Kept;
}

/** `before`: blocks of the previous load, reused where nothing changed. */
export async function runPass(
  root: string,
  answers: ReadonlyMap<string, InputValue>,
  bound: BoundCatalog | undefined,
  before: Kept = new Map(),
): Promise<Pass> {
  const run = new Run(root, answers, before);
  try {
    return await run.go(bound);
  } catch (thrown) {
    if (!(thrown instanceof LimitReached)) throw thrown;
    return { kind: "finished", result: run.stopped(thrown.complaint) };
  }
}

/** The result where every round found a new question: inputs that name inputs that name inputs. */
export function exhausted(
  root: string,
  answers: ReadonlyMap<string, InputValue>,
  rounds: number,
): Result {
  const message = `inputs name other inputs more than ${rounds} times in a row`;
  return new Run(root, answers, new Map()).stopped(createDiagnostic("E410", undefined, message));
}

/** What a run has come to so far. */
interface Stage {
  readonly settings?: DaemonSettings;
  readonly declarations?: readonly PluginDeclaration[];
  readonly checked?: readonly CheckedInstance[];
  readonly instances?: ReadonlyMap<BlockKey, BlockInstance>;
  readonly tests?: readonly TestOutcome[];
}

class Run {
  readonly #root: string;
  readonly #world: EvaluationRun;
  readonly #inputs: Inputs;
  readonly #reuse: Reuse;
  readonly #diagnostics: Diagnostic[] = [];

  constructor(root: string, answers: ReadonlyMap<string, InputValue>, before: Kept) {
    this.#root = root;
    this.#inputs = new Inputs(answers);
    this.#world = new EvaluationRun({
      inputs: this.#inputs,
      report: (diagnostic) => this.#diagnostics.push(diagnostic),
      roots: [dirname(root)],
      evaluate,
    });
    this.#reuse = new Reuse(before, this.#world);
  }

  /** The pipeline. */
  async go(bound: BoundCatalog | undefined): Promise<Pass> {
    const world = this.#world;
    let settings = defaultSettings;
    const units = gatherUnits(this.#root, world, (root) => {
      settings = readDaemonSettings(root, world);
      world.roots = [dirname(this.#root), ...settings.allowPaths];
    });
    if (isTurnOver()) await nextTurn();
    const declarations = readDeclarations(units, world);
    if (this.#wanting) return this.#wanting;
    if (!bound) return { kind: "unbound", declarations };

    refuseSettings(units.slice(1), world);
    const kinds = bindKinds(world, bound);
    const { blocks, tests } = topLevelOf(units, world);
    const declared = new Set(declarations.map(({ name }) => name));
    const hints = { declared, undeclared: bound.undeclared ?? new Map() };
    const instances = await instancesOf(blocks, kinds, hints, this.#reuse, world);
    world.blocks = new Directory(instances, kinds);
    for (const binding of units.flatMap((unit) => unit.lets)) binding.shared = true;
    const checked = await checkInstances(instances, this.#reuse);
    for (const binding of units.flatMap((unit) => unit.lets)) {
      const { complaints } = world;
      checkUnused(binding, world);
      // A block with a let that is wrong was kept before that was known.
      if (!binding.shared && world.complaints > complaints) this.#reuse.discard();
    }
    this.#diagnostics.push(...bound.diagnostics);
    if (this.#wanting) return this.#wanting;

    const sound = !this.#diagnostics.some(({ severity }) => severity === "error");
    const outcomes = sound ? runTests(tests, checked, world) : [];
    const stage = { settings, declarations, checked, instances, tests: outcomes };
    if (isTurnOver()) await nextTurn();
    return this.#wanting ?? { kind: "finished", result: this.#resultOf(stage) };
  }

  /** The result where going on makes no sense. */
  stopped(reason: Diagnostic): Result {
    this.#diagnostics.push(reason);
    return this.#resultOf({});
  }

  get #wanting(): Extract<Pass, { kind: "wanting" }> | undefined {
    const needs = this.#inputs.wanting;
    return needs.length === 0 ? undefined : { kind: "wanting", needs };
  }

  #resultOf(stage: Stage): Result {
    const { settings = defaultSettings, declarations = [], checked = [], tests = [] } = stage;
    const { units, secrets } = this.#world;
    const sourcePaths = new Set([...units.values()].map(({ path }) => path));
    const program: Program = {
      root: this.#root,
      daemon: settings,
      blocks: new Map(checked.map(({ block }) => [block.key, block])),
      declarations,
      inputs: inputsOf(this.#inputs, sourcePaths, secrets),
      sourceHash: sourceHash(this.#inputs),
    };
    const sources = [...units.values()].map(
      ({ name, text }) => [name, { path: name, text }] as const,
    );
    return {
      program,
      checked,
      tests,
      instances: stage.instances ?? new Map(),
      world: this.#world,
      diagnostics: collect(this.#diagnostics),
      sources: new Map(sources),
      watch: [...new Set([this.#root, ...watchedBy(this.#inputs)])],
      kept: this.#reuse.kept,
    };
  }
}

/** From here on names that mean nothing are errors. */
function bindKinds(world: EvaluationRun, bound: BoundCatalog): Kinds {
  const kinds = new Kinds(bound.plugins);
  for (const [{ description, vouched }, translator] of kinds.translators) {
    if (vouched) continue;
    for (const fault of faultsOf(description, translator)) {
      world.report(
        createDiagnostic("E120", undefined, `the plugin \`${description.id}\` is faulty: ${fault}`),
      );
    }
  }
  world.bound = true;
  world.kinds = new Set(kinds.names);
  world.functions = kinds.functions;
  world.runTimeNames = kinds.runTimeNames();
  return kinds;
}
