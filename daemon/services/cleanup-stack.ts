import { Lifecycle, scoped } from "./inject.js";

export interface UnwindOptions {
  /** Called before each step; `open` names it first. */
  readonly begins?: () => void;
  /** Takes failures; without it the first one is thrown at the end. */
  readonly failed?: (name: string, thrown: unknown) => void;
  /** Resolves when the next step is to begin although this one has not ended. @default never */
  readonly patience?: (name: string) => Promise<void>;
  /** Called when it has resolved before this step has ended. */
  readonly late?: (name: string) => void;
}

/**
 * What a container has opened, closed in the opposite order. tsyringe disposes in the order of creation and all at once,
 * which would close the database before its writers.
 */
@scoped(Lifecycle.ContainerScoped)
export class CleanupStack {
  readonly #steps: Array<{ readonly name: string; readonly close: () => unknown }> = [];
  readonly #closing = new Set<string>();

  /** Names of what is not closed, what is being closed first. */
  get open(): readonly string[] {
    return [...[...this.#closing].reverse(), ...this.#steps.map(({ name }) => name).reverse()];
  }

  defer(name: string, close: () => unknown): void {
    this.#steps.push({ name, close });
  }

  /**
   * Closes everything, one after the other, whatever fails. Each step runs once. Resolves when all have ended.
   * @throws the first failure, unless `failed` takes them
   */
  async unwind({ begins, failed, patience, late }: UnwindOptions = {}): Promise<void> {
    const failures: unknown[] = [];
    const all: Promise<void>[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      const { name, close } = step;
      this.#closing.add(name);
      begins?.();
      const closed = Promise.try(close).catch((thrown: unknown) => {
        if (failed) failed(name, thrown);
        else failures.push(thrown);
      });
      const over = closed.then(() => void this.#closing.delete(name));
      all.push(over);
      if (patience) await Promise.race([over, patience(name)]);
      else await over;
      if (this.#closing.has(name)) late?.(name);
    }
    await Promise.all(all);
    if (failures.length > 0) throw failures[0];
  }
}
