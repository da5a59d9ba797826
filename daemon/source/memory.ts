/** What a followed source knows after a restart, in the daemon's records. */
import type { Records } from "../services/contract.js";
import type { SourceStatus } from "./contract.js";

interface Kept {
  readonly applied?: { readonly commit: string; readonly at: number };
  /** The directory of the commit before: it comes back where its successor fails in its probation. */
  readonly previous?: string;
  readonly refused?: NonNullable<SourceStatus["refused"]>;
  /** Until then the source is paused, also over a restart. */
  readonly pausedUntil?: number;
}

export class SourceMemory {
  readonly #records: Records;
  #kept: Kept = {};

  constructor(records: Records) {
    this.#records = records;
  }

  /**
   * A restart tries a refused commit again, since signers or the host may have changed; not one that ran and failed, which could
   * fail again at every restart.
   */
  async open(): Promise<void> {
    const { refused, ...kept } = (await this.#records.get<Kept>("memory")) ?? {};
    this.#kept = refused?.code === "rolled_back" ? { ...kept, refused } : kept;
  }

  get applied(): Kept["applied"] {
    return this.#kept.applied;
  }

  get previous(): Kept["previous"] {
    return this.#kept.previous;
  }

  get refused(): Kept["refused"] {
    return this.#kept.refused;
  }

  get pausedUntil(): Kept["pausedUntil"] {
    return this.#kept.pausedUntil;
  }

  /** `undefined` forgets. */
  async set(change: { readonly [Name in keyof Kept]?: Kept[Name] | undefined }): Promise<void> {
    this.#kept = JSON.parse(JSON.stringify({ ...this.#kept, ...change })) as Kept;
    await this.#records.set("memory", this.#kept);
  }
}
