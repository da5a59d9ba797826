/** Keeps the newest items and drops older ones. */
export class Ring<Item> {
  readonly #capacity: number;
  #items: Item[] = [];
  #newestFirst: readonly Item[] | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#newestFirst = undefined;
    // Seldom, and then many at once: adding one costs nothing that grows with what is kept.
    if (this.#items.length >= 2 * this.#capacity) this.#items.splice(0, this.#capacity);
  }

  clear(): void {
    this.#items = [];
    this.#newestFirst = undefined;
  }

  /** At most as many as there is room for. The same array until something is added. */
  newestFirst(): readonly Item[] {
    this.#newestFirst ??= this.#items.slice(-this.#capacity).reverse();
    return this.#newestFirst;
  }
}
