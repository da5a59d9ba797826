/** A few things that are lent to one user at a time, first come, first served. They are made when they are first wanted. */
export class ResourcePool<Slot> {
  readonly #make: () => Slot;
  readonly #free: Slot[] = [];
  readonly #waiting: Array<(slot: Slot) => void> = [];
  #unmade: number;

  constructor(count: number, make: () => Slot) {
    this.#unmade = count;
    this.#make = make;
  }

  /** What is taken must be given back. */
  take(): Slot | Promise<Slot> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#unmade > 0) {
      this.#unmade -= 1;
      return this.#make();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next) next(slot);
    else this.#free.push(slot);
  }
}
