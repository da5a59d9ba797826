/** Gathers what is asked for while an earlier question is on its way, so that many share one round trip. */
interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/** Items that go together at most. */
const most = 500;

export class Batch<Item, Answer> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  #waiting: Array<Waiting<Item, Answer>> = [];
  #isBusy = false;

  /** `send` answers each item, in their order; where it rejects, so does each of them. */
  constructor(send: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.#send = send;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isBusy) return;
      this.#isBusy = true;
      // What comes within the same turn goes along.
      setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const sent = this.#waiting.splice(0, most);
      try {
        const answers = await this.#send(sent.map(({ item }) => item));
        for (const [index, { resolve }] of sent.entries()) resolve(answers[index] as Answer);
      } catch (thrown) {
        for (const { reject } of sent) reject(thrown);
      }
    }
    this.#isBusy = false;
  }
}
