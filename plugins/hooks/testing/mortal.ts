/** The hooks plugin on a host that dies after a given step: nothing that it does afterwards has an effect. */
import type { PluginContext, PluginDefinition, PluginInstance, Store } from "reeve/plugin";
import { definePlugin } from "reeve/plugin";
import { HooksInstance } from "../instance.js";
import plugin from "../plugin.js";

export class MortalHost {
  readonly #name: string;
  readonly #store: () => Store;
  /** Steps until it dies: a query, a record of a run or the start of a command is one. */
  #left: number;
  #dead = false;

  constructor(name: string, store: () => Store, steps = Number.POSITIVE_INFINITY) {
    this.#name = name;
    this.#store = store;
    this.#left = steps;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** As after a restart of the machine: the next instance lives on. */
  plugin(): PluginDefinition {
    const setup = (context: PluginContext): PluginInstance => {
      const mortal = !this.#dead;
      const isDead = () => mortal && this.#dead;
      const instance = new HooksInstance(
        mortal ? this.#mortal(context, isDead) : this.#of(context),
      );
      return {
        prepare: (next, previous, attempt) =>
          instance.prepare(next as never, previous as never, attempt),
        stop: async (reason, signal) => {
          if (!isDead()) await instance.stop(reason, signal);
        },
      };
    };
    return definePlugin({ ...plugin, setup: setup as never }) as unknown as PluginDefinition;
  }

  #of(context: PluginContext): PluginContext {
    return { ...context, host: this.#name, store: this.#store() };
  }

  #mortal(context: PluginContext, isDead: () => boolean): PluginContext {
    const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (isDead()) return forever();
      const result = await work();
      this.#left -= 1;
      if (this.#left <= 0) this.#dead = true;
      return isDead() ? forever() : result;
    };
    const { runs, processes, clock } = context;
    const store = this.#store();
    return {
      ...this.#of(context),
      clock: {
        now: () => clock.now(),
        sleep: (pause, signal) => (isDead() ? forever() : clock.sleep(pause, signal)),
      },
      store: {
        map: (name) => store.map(name),
        database: async <Tables>(migrations: Parameters<Store["database"]>[0]) => {
          const database = await store.database<Tables>(migrations);
          return database.withPlugin({
            transformQuery: ({ node }) => {
              if (isDead()) throw new Error("The host is dead.");
              return node;
            },
            transformResult: ({ result }) => step(async () => result),
          });
        },
      },
      runs: {
        ...runs,
        start: async (wanted) => {
          const run = await step(() => runs.start(wanted));
          return {
            ...run,
            running: (options) => step(() => run.running(options)),
            finish: (result) => step(() => run.finish(result)),
          };
        },
        list: (filter) => (isDead() ? forever() : runs.list(filter)),
      },
      processes: { run: (request) => step(() => processes.run(request)) },
    };
  }
}

const forever = <Result>(): Promise<Result> => new Promise(() => undefined);
