/** What several daemons share, in PostgreSQL: maps, jobs, plugins' tables and plugins' events. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Pool } from "pg";
import { errorMessage, ReeveError } from "../../errors.js";
import type { Clock, Fields, Log } from "../../plugin-api/context.js";
import type { StoreMap } from "../../plugin-api/state.js";
import type { DatabaseState } from "../contract.js";
import type { QueueStore } from "../jobs/queue-store.js";
import type { PluginDatabaseUser } from "../store/plugin-databases.js";
import { checkAddress, poolFor } from "./connection.js";
import { isUnreachable } from "./failure.js";
import { NotificationListener } from "./listener.js";
import { sharedMap } from "./maps.js";
import { bringUpToDate, SCHEMA } from "./schema.js";
import { SharedEvents } from "./shared-events.js";
import { SharedQueue } from "./shared-queue.js";
import { SharedRuns } from "./shared-runs.js";
import { SharedTables } from "./shared-tables.js";

export interface SharedStoreOptions {
  readonly address: string;
  /** Milliseconds that the jobs of a daemon that is gone wait, where their queue does not say. */
  readonly lease: number;
  /** What this daemon is called. @default the host's name */
  readonly name?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waiting for a database that is not there yet. */
  readonly signal: AbortSignal;
}

/** What a daemon wants to hear of the others. */
export interface StoreListener {
  /** Perhaps there is something to do in a queue; without a name, in any. */
  jobs(plugin?: string, queue?: string): void;
  cancelled(job: string): void;
  event(plugin: string, type: string, data: Fields): void;
  /** The database is away, with a sentence, or back. */
  away(why: string): void;
  back(): void;
}

/** Connections for maps and jobs. */
const connections = 8;
/** Milliseconds between two looks whether the database is there. */
const pause = 1000;

export class SharedStore {
  /** This daemon, as no other is called. */
  readonly daemon: string;
  readonly runs: SharedRuns;
  readonly #options: SharedStoreOptions;
  readonly #pool: Pool;
  readonly #tables: SharedTables;
  readonly #events: SharedEvents;
  #listener: NotificationListener | undefined;
  #away: DatabaseState["away"];

  /**
   * Waits until the database is there, and says so.
   * @throws ReeveError `store_refused` where waiting will not help, `store_too_new`
   */
  static async open(options: SharedStoreOptions): Promise<SharedStore> {
    const { address, clock, log, signal } = options;
    checkAddress(address);
    const pool = await poolFor({ address, most: connections, schema: SCHEMA });
    try {
      for (let isLogged = false; ; isLogged = true) {
        try {
          await bringUpToDate(pool);
          break;
        } catch (thrown) {
          signal.throwIfAborted();
          if (!isUnreachable(thrown)) throw thrown;
          if (!isLogged) log.warn(`${errorMessage(thrown)} The start waits for it.`);
          await clock.sleep(pause, signal);
        }
      }
    } catch (thrown) {
      await pool.end();
      throw thrown;
    }
    return new SharedStore(options, pool);
  }

  private constructor(options: SharedStoreOptions, pool: Pool) {
    const name = options.name ?? hostname();
    this.daemon = `${name}-${randomBytes(4).toString("hex")}`;
    this.runs = new SharedRuns(() => this.#reachable(), name);
    this.#options = options;
    this.#pool = pool;
    this.#tables = new SharedTables(options.address);
    this.#events = new SharedEvents(pool, this.daemon);
  }

  /** From now on, what other daemons say. */
  listen(listener: StoreListener): void {
    const { address, log } = this.#options;
    let isFirst = true;
    this.#listener = new NotificationListener({
      address,
      channels: ["reeve_jobs", "reeve_cancelled", "reeve_events"],
      received: (channel, message) => {
        if (channel === "reeve_cancelled") listener.cancelled(message);
        else if (channel === "reeve_events") this.#events.receive(message, listener.event);
        else {
          const [plugin, queue, daemon] = JSON.parse(message) as readonly string[];
          if (daemon !== this.daemon) listener.jobs(plugin, queue);
        }
      },
      away: (why) => {
        isFirst = false;
        this.#away = { reason: why, since: this.#options.clock.now() };
        log.warn(`${why} Hooks and sandboxes go on; jobs wait until it is back.`);
        listener.away(why);
      },
      back: () => {
        this.#away = undefined;
        if (!isFirst) {
          log.info("The database is back.");
          listener.back();
        }
        isFirst = false;
        listener.jobs();
      },
    });
  }

  get state(): DatabaseState {
    return { daemon: this.daemon, ...(this.#away && { away: this.#away }) };
  }

  map<Value>(plugin: string, name: string): StoreMap<Value> {
    return sharedMap(() => this.#reachable(), plugin, name);
  }

  queue(plugin: string, queue: string): QueueStore {
    const { clock, lease } = this.#options;
    const of = { pool: this.#pool, clock, daemon: this.daemon, usualLease: lease };
    return new SharedQueue({ ...of, plugin, queue });
  }

  tables(plugin: string, clock: Clock): PluginDatabaseUser {
    return this.#tables.user(plugin, clock);
  }

  /** Tells the other daemons, where the plugin has tables that they share. */
  send(plugin: string, type: string, data: Fields): void {
    if (this.#tables.has(plugin)) this.#events.send(plugin, type, data);
  }

  /** Rejects what waits for an answer that cannot come. */
  #reachable(): Pool {
    if (this.#away === undefined) return this.#pool;
    throw new ReeveError("store_away", this.#away.reason);
  }

  async close(): Promise<void> {
    await this.#listener?.close();
    await this.#events.close();
    await this.#pool.end();
  }
}
