/** The database that several daemons share, while this daemon uses one. */
import type { Clock, Log } from "../plugin-api/context.js";
import type { DaemonServices } from "./contract.js";
import { EventRing } from "./events.js";
import { CLOCK, inject, injectable, LOG } from "./inject.js";
import type { RunReplicator } from "./runs/run-replicator.js";
import type { RunStore } from "./runs/run-store.js";
import type { SharedStore } from "./shared/shared-store.js";

type Share = DaemonServices["share"];

/** Notified of jobs that other daemons added, finished or cancelled. */
interface JobListener {
  wake(plugin?: string, queue?: string): void;
  cancelled(id: string): void;
}

@injectable()
export class SharedConnection {
  readonly #events: EventRing;
  readonly #clock: Clock;
  readonly #log: Log;
  #store: SharedStore | undefined;
  #replicator: RunReplicator | undefined;

  constructor(
    @inject(EventRing) events: EventRing,
    @inject(CLOCK) clock: Clock,
    @inject(LOG) log: Log,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#log = log;
    events.subscribe(({ plugin, type, data }) => {
      if (plugin !== undefined && !("daemon" in data)) this.#store?.send(plugin, type, data);
    });
  }

  get store(): SharedStore | undefined {
    return this.#store;
  }

  /** Closes the present connection and opens one to `database`. Its modules are loaded with the first one. */
  async open(
    runs: RunStore,
    jobs: JobListener,
    database: Parameters<Share>[0],
    signal: AbortSignal,
  ): Promise<void> {
    await this.close(runs);
    if (database === undefined) return;
    const [{ SharedStore }, { RunReplicator }] = await Promise.all([
      import("./shared/shared-store.js"),
      import("./runs/run-replicator.js"),
    ]);
    const events = this.#events;
    const log = this.#log;
    const store = await SharedStore.open({ ...database, clock: this.#clock, log, signal });
    this.#store = store;
    const replicator = new RunReplicator({
      ...{ shared: store.runs, log },
      records: (ids) => runs.records(ids),
      limits: () => runs.kept,
    });
    this.#replicator = replicator;
    runs.changed = (ids) => replicator.changed(ids);
    await replicator.begin();
    store.listen({
      jobs: (plugin, queue) => jobs.wake(plugin, queue),
      cancelled: (id) => jobs.cancelled(id),
      event: (plugin, type, data) => events.scoped(plugin).emit(type, data),
      away: (reason) => events.emit("store.away", { reason }),
      back: () => events.emit("store.back"),
    });
  }

  async close(runs: RunStore): Promise<void> {
    runs.changed = () => undefined;
    await this.#replicator?.close();
    await this.#store?.close();
    this.#replicator = undefined;
    this.#store = undefined;
  }
}
