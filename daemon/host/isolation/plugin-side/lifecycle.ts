/** The plugin's lifecycle in its worker or process: the same calls as in the main thread, sent over the port. */
import { asDefinition } from "../../../catalog/describe.js";
import { importPlugin } from "../../../catalog/import-plugin.js";
import { decodeValue } from "../../../config/values/wire.js";
import { ReeveError } from "../../../errors.js";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { Configuration, PluginInstance, Prepared } from "../../../plugin-api/plugin.js";
import type { Block } from "../../../plugin-api/values.js";
import { faultMessage } from "../../../plugin-fault.js";
import { configurationOf, Reports } from "../../instance/configuration.js";
import type { PartData, PreparationData } from "../methods.js";
import type { HostPeer } from "./host-peer.js";

interface Pending {
  readonly prepared: Prepared;
  readonly next: Configuration;
}

export class PluginLifecycle {
  readonly #host: HostPeer;
  #plugin: PluginInstance | undefined;
  #kinds: readonly string[] = [];
  #running: Configuration | undefined;
  readonly #attempts = new Map<number, Pending>();

  constructor(host: HostPeer) {
    this.#host = host;
  }

  async setup(module: string, contextFor: (id: string) => PluginContext): Promise<void> {
    const definition = asDefinition(await importPlugin(module));
    this.#kinds = Object.keys(definition.blocks);
    this.#plugin = await definition.setup(contextFor(definition.id));
  }

  get plugin(): PluginInstance {
    if (this.#plugin) return this.#plugin;
    throw new ReeveError("not_set_up", "The plugin has not been set up.");
  }

  async prepare(part: PartData, signal: AbortSignal): Promise<PreparationData> {
    const blocks = part.blocks.map(decodeValue) as Block[];
    const next = configurationOf(this.#kinds, part.generation, blocks);
    const reports = new Reports();
    const attempt = reports.attempt(new Map(part.changes), signal);
    const prepared = await this.plugin.prepare(next, this.#running, attempt);
    if (typeof prepared?.commit !== "function") {
      throw new TypeError("`prepare` gave nothing to commit.");
    }
    if (signal.aborted) {
      await prepared.abort?.();
      throw signal.reason;
    }
    this.#attempts.set(part.attempt, { prepared, next });
    return { reports: reports.list };
  }

  /** No caller waits for it; errors are reported to the host. */
  commit(attempt: number): void {
    const pending = this.#attempts.get(attempt);
    if (!pending) return;
    this.#running = pending.next;
    try {
      pending.prepared.commit();
    } catch (thrown) {
      this.#host.notify("fault", faultMessage(thrown));
    }
  }

  async abort(attempt: number): Promise<void> {
    const pending = this.#attempts.get(attempt);
    this.#attempts.delete(attempt);
    await pending?.prepared.abort?.();
  }

  async release(attempt: number): Promise<void> {
    const pending = this.#attempts.get(attempt);
    this.#attempts.delete(attempt);
    await pending?.prepared.release?.();
  }

  async secret(reference: string, signal: AbortSignal): Promise<string> {
    if (this.plugin.resolveSecret) return this.plugin.resolveSecret(reference, signal);
    throw new ReeveError("no_secrets", "the plugin keeps no secrets");
  }
}
