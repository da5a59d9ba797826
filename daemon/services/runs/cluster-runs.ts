/** Runs of this daemon and, where several share a store, of the others as they have told of them. */
import { hostname } from "node:os";
import { errorMessage } from "../../errors.js";
import type { Clock } from "../../plugin-api/context.js";
import type { RunState, Runs } from "../../plugin-api/state.js";
import type { HostedFilter, HostedRun, RunLog } from "../contract.js";
import { CLOCK, inject, injectable } from "../inject.js";
import { withTimeout } from "../jobs/timing.js";
import { SharedConnection } from "../shared-connection.js";
import { RunStore } from "./run-store.js";
import { pageOf } from "./run-table.js";

/** Milliseconds to wait for the database before only this host's runs are listed. */
const patience = 2000;

@injectable()
export class ClusterRuns implements RunLog {
  readonly #own: RunStore;
  readonly #clock: Clock;
  readonly #connection: SharedConnection;
  #unseen: string | undefined;

  constructor(
    @inject(RunStore) own: RunStore,
    @inject(CLOCK) clock: Clock,
    @inject(SharedConnection) connection: SharedConnection,
  ) {
    this.#own = own;
    this.#clock = clock;
    this.#connection = connection;
  }

  get unseen(): string | undefined {
    return this.#unseen;
  }

  async get(id: string): Promise<HostedRun | undefined> {
    const shared = this.#connection.store?.runs;
    const own = await this.#own.get(id);
    if (!shared) return own;
    if (own) return { ...own, host: shared.host };
    return this.#query(shared.get(id), undefined);
  }

  async list({ host, ...filter }: HostedFilter = {}): Promise<readonly HostedRun[]> {
    const shared = this.#connection.store?.runs;
    if (!shared) return host === undefined || host === hostname() ? this.#own.list(filter) : [];
    const own =
      host === undefined || host === shared.host
        ? (await this.#own.list(filter)).map((run) => ({ ...run, host: shared.host }))
        : [];
    if (host === shared.host) return own;
    const others = await this.#query(shared.list(filter, host), []);
    return [...own, ...others].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, pageOf(filter));
  }

  counts(): Promise<Readonly<Record<RunState, number>>> {
    return this.#own.counts();
  }

  scoped(plugin: string, generation: () => number): Runs {
    return this.#own.scoped(plugin, generation);
  }

  async #query<Answer>(answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
    try {
      const found = await withTimeout(this.#clock, patience, answer);
      this.#unseen = undefined;
      return found;
    } catch (thrown) {
      this.#unseen = `Runs of other hosts cannot be seen: ${errorMessage(thrown)}`;
      return otherwise;
    }
  }
}
