/** A plugin in the main thread: called directly, trusted not to block. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { InstanceContext } from "../../context/plugin-context.js";
import { errorMessage, ReeveError } from "../../errors.js";
import type { Panel } from "../../plugin-api/panel.js";
import type {
  Configuration,
  Health,
  PluginDefinition,
  PluginInstance,
  Prepared,
  StopReason,
} from "../../plugin-api/plugin.js";
import { configurationOf, Reports, viewOf } from "./configuration.js";
import type { Instance, InstanceConfiguration, Preparation } from "./instance.js";

/** Fails the instance whose code runs, or started what runs: Node keeps it over timers, promises and events. */
const failing = new AsyncLocalStorage<(why: string) => void>();

/** Fails the inline plugin that did not catch `thrown`. Returns false if no plugin did. */
export function failInlinePlugin(thrown: unknown): boolean {
  const fail = failing.getStore();
  fail?.(`crashed: ${errorMessage(thrown)}`);
  return fail !== undefined;
}

/** Rejects with what `setup` threw; the caller then disposes the context. */
export async function startInline(
  definition: PluginDefinition,
  context: InstanceContext,
): Promise<Instance> {
  const { promise: gone, resolve: fail } = Promise.withResolvers<string>();
  const run: Run = (work) => failing.run(fail, work);
  const instance = await run(() => definition.setup(context.context));
  return new InlineInstance(definition, instance, context, gone, run);
}

/** Calls code of the plugin. */
type Run = <Result>(work: () => Result) => Result;

class InlineInstance implements Instance {
  readonly gone: Promise<string>;
  readonly pid = undefined;
  readonly #run: Run;
  readonly #id: string;
  readonly #kinds: readonly string[];
  readonly #plugin: PluginInstance;
  readonly #context: InstanceContext;
  #running: Configuration | undefined;

  constructor(
    { id, blocks }: PluginDefinition,
    plugin: PluginInstance,
    context: InstanceContext,
    gone: Promise<string>,
    run: Run,
  ) {
    this.gone = gone;
    this.#run = run;
    this.#id = id;
    this.#kinds = Object.keys(blocks);
    this.#plugin = plugin;
    this.#context = context;
  }

  async prepare(part: InstanceConfiguration, signal: AbortSignal): Promise<Preparation> {
    const next = configurationOf(this.#kinds, part.generation, part.blocks.map(viewOf));
    const reports = new Reports();
    const { claims } = this.#context;
    claims.begin();
    let prepared: Prepared;
    try {
      const attempt = reports.attempt(part.changes, signal);
      prepared = await this.#run(() => this.#plugin.prepare(next, this.#running, attempt));
      if (typeof prepared?.commit !== "function") {
        throw new TypeError("`prepare` gave nothing to commit.");
      }
    } catch (thrown) {
      await claims.abort();
      throw thrown;
    }
    const preparation: Preparation = {
      reports: reports.list,
      commit: () => {
        this.#running = next;
        claims.commit();
        this.#run(() => prepared.commit());
      },
      abort: async () => {
        await claims.abort();
        await this.#run(() => prepared.abort?.());
      },
      release: async () => {
        await Promise.all([claims.release(), this.#run(() => prepared.release?.())]);
      },
    };
    if (signal.aborted) {
      await preparation.abort();
      throw signal.reason;
    }
    return preparation;
  }

  async stop(reason: StopReason, signal: AbortSignal): Promise<void> {
    await this.#run(() => this.#plugin.stop?.(reason, signal));
  }

  async health(): Promise<Health> {
    return (await this.#run(() => this.#plugin.health?.())) ?? { state: "healthy" };
  }

  async panels(): Promise<readonly Panel[]> {
    return (await this.#run(() => this.#plugin.panels?.())) ?? [];
  }

  async resolveSecret(reference: string, signal: AbortSignal): Promise<string> {
    const secret = this.#run(() => this.#plugin.resolveSecret?.(reference, signal));
    if (secret !== undefined) return secret;
    throw new ReeveError("no_secrets", `the plugin "${this.#id}" keeps no secrets`);
  }

  async ping(): Promise<void> {}

  async terminate(): Promise<void> {}

  usage(): undefined {
    return undefined;
  }

  suspend(why: string): void {
    this.#context.claims.suspend(why);
  }

  dispose(): Promise<void> {
    return this.#context.dispose();
  }

  releaseClaims(replaced: boolean): Promise<void> {
    return this.#context.claims.close({ keepControl: replaced });
  }
}
