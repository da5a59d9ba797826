/** What an evaluation came across besides values: everything that its result depends on. */
import type * as tree from "../../../grammar/tree.js";
import type { InputRequest } from "../inputs.js";
import { needKey } from "../inputs.js";

/** Most evaluations have no dependencies, so the sets are created on demand. */
export class Dependencies {
  #blocks: Set<string> | undefined;
  #inputs: Map<string, InputRequest> | undefined;
  #lets: Set<tree.Let | tree.ParameterNode> | undefined;
  #secrets: Set<string> | undefined;
  /** The value of another block was read, not only its name. */
  readsBlocks = false;

  /** Keys of blocks referred to. */
  get blocks(): Iterable<string> {
    return this.#blocks ?? [];
  }

  /** Requested inputs, by key. */
  get inputs(): Iterable<readonly [string, InputRequest]> {
    return this.#inputs ?? [];
  }

  /** Requested lets outside blocks. */
  get lets(): Iterable<tree.Let | tree.ParameterNode> {
    return this.#lets ?? [];
  }

  /** References of secrets. */
  get secrets(): Iterable<string> {
    return this.#secrets ?? [];
  }

  addBlock(key: string): void {
    this.#blocks = (this.#blocks ?? new Set()).add(key);
  }

  addInput(need: InputRequest): void {
    this.#inputs = (this.#inputs ?? new Map()).set(needKey(need), need);
  }

  addLet(node: tree.Let | tree.ParameterNode): void {
    this.#lets = (this.#lets ?? new Set()).add(node);
  }

  addSecret(reference: string): void {
    this.#secrets = (this.#secrets ?? new Set()).add(reference);
  }

  add(other: Dependencies): void {
    for (const key of other.blocks) this.addBlock(key);
    for (const [, need] of other.inputs) this.addInput(need);
    for (const node of other.lets) this.addLet(node);
    for (const reference of other.secrets) this.addSecret(reference);
    this.readsBlocks ||= other.readsBlocks;
  }
}
