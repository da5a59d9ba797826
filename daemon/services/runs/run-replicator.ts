/**
 * Copies records of runs for the other daemons, a second after the fact and many at once. A run never waits for it: while the database is away
 * what is to be told piles up, so far and no further, and the oldest is left out.
 */
import { errorMessage } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { RunRecord } from "../../plugin-api/state.js";
import type { SharedRuns } from "../shared/shared-runs.js";

/** Milliseconds between two batches. */
const pause = 1000;
/** Records that are read and sent at once: reading them holds the daemon up for some milliseconds. */
const together = 200;
/** Default number of runs that wait to be sent. */
const usualMost = 10_000;
/** Characters of output that go along: the first and the last. */
const edge = 4096;
/** Batches between two looks at what is to be forgotten. */
const pruning = 60;

export interface ReplicatorOptions {
  readonly shared: SharedRuns;
  readonly log: Log;
  /** Records as they are now, of those that are still kept. */
  records(ids: readonly string[]): readonly RunRecord[];
  /** Runs that wait to be told of. */
  readonly most?: number;
  /** How many a host keeps, and since when. */
  limits(): { readonly keep: number; readonly oldest: number };
}

export class RunReplicator {
  readonly #options: ReplicatorOptions;
  /** Oldest first. */
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isOver = false;
  #leftOut = 0;
  #untilPruned = 1;

  constructor(options: ReplicatorOptions) {
    this.#options = options;
  }

  /** Those that were going on when the daemon before this one died, too. */
  async begin(): Promise<void> {
    this.changed(await this.#options.shared.goingOn());
  }

  changed(ids: readonly string[]): void {
    const { most = usualMost } = this.#options;
    for (const id of ids) {
      // A later update sends its newest state.
      this.#changed.add(id);
      if (this.#changed.size <= most) continue;
      const [oldest] = this.#changed;
      this.#changed.delete(oldest ?? "");
      this.#leftOut += 1;
    }
    if (this.#changed.size > 0 && !this.#isOver) this.#timer ??= setTimeout(this.#soon, pause);
    this.#timer?.unref();
  }

  /** Tells what is left, `patience` milliseconds at most. */
  async close(patience = 1000): Promise<void> {
    clearTimeout(this.#timer);
    this.#isOver = true;
    const late = new Promise<void>((resolve) => setTimeout(resolve, patience).unref());
    await Promise.race([late, this.#sending.then(() => this.#send())]);
  }

  readonly #soon = (): void => {
    this.#sending = this.#send().finally(() => {
      this.#timer = undefined;
      this.changed([]);
    });
  };

  /** Never rejects: what could not be sent is sent with the next batch. */
  async #send(): Promise<void> {
    const { shared, log, records, limits } = this.#options;
    try {
      while (this.#changed.size > 0) {
        const ids = [...this.#changed].slice(0, together);
        for (const id of ids) this.#changed.delete(id);
        try {
          await shared.write(records(ids).map(shortened));
        } catch (thrown) {
          this.changed(ids);
          throw thrown;
        }
      }
      if (this.#leftOut > 0) {
        const count = this.#leftOut;
        this.#leftOut = 0;
        log.warn(`Other hosts do not hear of ${count} runs: the database was away for too long.`);
      }
      this.#untilPruned -= 1;
      if (this.#untilPruned > 0) return;
      this.#untilPruned = pruning;
      const { keep, oldest } = limits();
      await shared.prune(keep, oldest);
    } catch (thrown) {
      // Of a database that is away, the connection to it tells.
      if ((thrown as { code?: unknown }).code === "store_away") return;
      log.warn(`Records of runs could not be told to other hosts: ${errorMessage(thrown)}`);
    }
  }
}

/** Where it ran there is more of a long output. */
function shortened({ request: _, ...record }: RunRecord): RunRecord {
  const { text, bytes, omitted } = record.output;
  if (text.length <= 2 * edge) return record;
  const middle = Buffer.byteLength(text.slice(edge, -edge));
  const shortened = `${text.slice(0, edge)}\n… (${middle} bytes are kept where it ran)\n${text.slice(-edge)}`;
  return { ...record, output: { text: shortened, bytes, omitted: omitted + middle } };
}
