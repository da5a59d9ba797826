/** The runtimes of all blocks, by key. A removed one stays until its commands have ended; its block may come back before. */
import type { CommandBlock } from "../blocks/blocks.js";
import type { LossCheck } from "./execute-run.js";
import { HookRuntime } from "./hook-runtime.js";
import type { HookTools } from "./hook-tools.js";

export type AnyRuntime = HookRuntime<CommandBlock>;

export class HookRuntimes {
  readonly #tools: HookTools;
  readonly #configured = new Map<string, AnyRuntime>();
  readonly #leaving = new Map<string, AnyRuntime>();

  constructor(tools: HookTools) {
    this.#tools = tools;
  }

  get configured(): Iterable<AnyRuntime> {
    return this.#configured.values();
  }

  /** Includes those of removed blocks with commands that still run or wait. */
  get all(): readonly AnyRuntime[] {
    return [...this.#configured.values(), ...this.#leaving.values()];
  }

  /** The configured one of a key. */
  get(key: string): AnyRuntime | undefined {
    return this.#configured.get(key);
  }

  /** The runtime for a block: the one of its key, or a new one. It counts as configured after `add`. */
  of<Block extends CommandBlock>(block: Block, lossOf?: LossCheck): HookRuntime<Block> {
    const { key } = block;
    const present = this.#configured.get(key) ?? this.#leaving.get(key);
    // A key begins with the kind of its block.
    if (present) return present as unknown as HookRuntime<Block>;
    return new HookRuntime(block, this.#tools, lossOf);
  }

  /** Its block is configured. */
  add<Block extends CommandBlock>(runtime: HookRuntime<Block>): void {
    const { key } = runtime.block;
    this.#leaving.delete(key);
    this.#configured.set(key, runtime as unknown as AnyRuntime);
  }

  /** Its block was removed. */
  remove<Block extends CommandBlock>(removed: HookRuntime<Block>): void {
    const { key } = removed.block;
    const runtime = removed as unknown as AnyRuntime;
    if (this.#configured.get(key) !== runtime) return;
    this.#configured.delete(key);
    this.#leaving.set(key, runtime);
    void this.#forget(key, runtime);
  }

  async #forget(key: string, runtime: AnyRuntime): Promise<void> {
    await runtime.drained();
    if (this.#leaving.get(key) !== runtime) return;
    this.#leaving.delete(key);
    runtime.meter.dispose();
  }
}
