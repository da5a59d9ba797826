/** The history of generations: numbered, bounded, and persistent. */
import { errorMessage } from "../errors.js";
import type { Log } from "../plugin-api/context.js";
import type { Records } from "../services/contract.js";
import type { Generation } from "./contract.js";

/** Limits of the history. */
export const kept = { generations: 200, changes: 500, diagnostics: 100 } as const;

const keyOf = (number: number): string => String(number).padStart(12, "0");

export class GenerationHistory {
  readonly #records: Records;
  readonly #log: Log;
  #newest: number;

  private constructor(records: Records, log: Log, newest: number) {
    this.#records = records;
    this.#log = log;
    this.#newest = newest;
  }

  /** `atLeast`: the highest number known to be used, in case the records are lost. */
  static async open(records: Records, log: Log, atLeast: number): Promise<GenerationHistory> {
    const found = await records.list<Generation>({ newest: true, limit: kept.generations });
    const ledger = new GenerationHistory(
      records,
      log,
      Math.max(atLeast, found[0]?.value.number ?? 0),
    );
    for (const { value } of found) {
      if (runs.has(value.state)) await ledger.write({ ...value, state: "superseded" });
    }
    return ledger;
  }

  /** The number of the next attempt. */
  next(): number {
    this.#newest += 1;
    return this.#newest;
  }

  /** Write errors are logged and do not stop a generation. */
  async write(generation: Generation): Promise<void> {
    const { number } = generation;
    try {
      await this.#records.set(keyOf(number), shortened(generation));
      if (number > kept.generations) await this.#records.delete(keyOf(number - kept.generations));
    } catch (thrown) {
      this.#log.error("Cannot record a generation", {
        generation: number,
        reason: errorMessage(thrown),
      });
    }
  }

  get(number: number): Promise<Generation | undefined> {
    return this.#records.get<Generation>(keyOf(number));
  }

  /** Newest first. */
  async list(limit: number = kept.generations): Promise<readonly Generation[]> {
    const found = await this.#records.list<Generation>({ newest: true, limit });
    return found.map(({ value }) => value);
  }
}

const runs: ReadonlySet<Generation["state"]> = new Set(["attempting", "probation", "committed"]);

function shortened(generation: Generation): Generation {
  const { plan, diagnostics } = generation;
  const changes = plan?.changes.filter(({ action }) => action !== "unchanged");
  return {
    ...generation,
    diagnostics: diagnostics.slice(0, kept.diagnostics),
    ...(plan && changes ? { plan: { ...plan, changes: changes.slice(0, kept.changes) } } : {}),
  };
}
