import { Lifecycle, scoped } from "./inject.js";

/**
 * What a container has opened, closed in the opposite order. tsyringe disposes in the order of creation and all at once,
 * which would close the database before its writers.
 */
@scoped(Lifecycle.ContainerScoped)
export class CleanupStack {
  readonly #steps: Array<{ readonly name: string; readonly close: () => unknown }> = [];

  defer(name: string, close: () => unknown): void {
    this.#steps.push({ name, close });
  }

  /**
   * Closes everything, one after the other, whatever fails. Each step runs once.
   * @throws the first failure, unless `failed` takes them
   */
  async unwind(failed?: (name: string, thrown: unknown) => void): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step.close();
      } catch (thrown) {
        if (failed) failed(step.name, thrown);
        else failures.push(thrown);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
