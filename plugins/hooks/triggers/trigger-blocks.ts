/** The blocks of one kind that start runs without requests: schedules, watches and tasks. Each has a runtime and a state over its edits. */
import type { CommandBlock } from "../blocks/blocks.js";
import type { LossCheck } from "../runs/execute-run.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { HookRuntimes } from "../runs/runtimes.js";
import { commandBlockOf, type TriggerBlock } from "./command-block.js";

export interface TriggerState<Block extends TriggerBlock> {
  /** As it is configured now. */
  block: Block;
  readonly runtime: HookRuntime<CommandBlock>;
}

export interface TriggerOptions<Block extends TriggerBlock, State> {
  stateOf(block: Block, runtime: HookRuntime<CommandBlock>): State;
  /** Asked before each run of a block. */
  readonly lossOf?: (key: string) => LossCheck;
}

export interface BlockChanges<Block extends TriggerBlock, State> {
  readonly added: readonly State[];
  /** With the block as it was. */
  readonly edited: ReadonlyArray<readonly [state: State, before: Block]>;
  readonly removed: readonly State[];
}

export class TriggerBlocks<Block extends TriggerBlock, State extends TriggerState<Block>> {
  readonly #runtimes: HookRuntimes;
  readonly #options: TriggerOptions<Block, State>;
  #states: ReadonlyMap<string, State> = new Map();

  constructor(runtimes: HookRuntimes, options: TriggerOptions<Block, State>) {
    this.#runtimes = runtimes;
    this.#options = options;
  }

  get all(): readonly State[] {
    return [...this.#states.values()];
  }

  get(key: string): State | undefined {
    return this.#states.get(key);
  }

  /** The blocks of a new generation. An edited one keeps its state and its runtime. */
  set(blocks: readonly Block[]): BlockChanges<Block, State> {
    const added: State[] = [];
    const edited: Array<readonly [State, Block]> = [];
    const before = this.#states;
    const next = new Map<string, State>();
    for (const block of blocks) {
      const present = before.get(block.key);
      const state = present ?? this.#add(block);
      next.set(block.key, state);
      if (present === undefined) added.push(state);
      else if (present.block !== block) {
        edited.push([present, present.block]);
        present.block = block;
        present.runtime.reconfigure(commandBlockOf(block));
      }
    }
    const removed = [...before.values()].filter(({ block }) => !next.has(block.key));
    for (const { runtime } of removed) this.#runtimes.remove(runtime);
    this.#states = next;
    return { added, edited, removed };
  }

  #add(block: Block): State {
    const command = commandBlockOf(block);
    const runtime = this.#runtimes.of(command, this.#options.lossOf?.(block.key));
    runtime.reconfigure(command);
    this.#runtimes.add(runtime);
    return this.#options.stateOf(block, runtime);
  }
}
