/** A plugin in a worker or process, called over a port. It cannot hang the host. */
import type { PluginSource } from "../../catalog/source.js";
import { encodeValue } from "../../config/values/wire.js";
import type { InstanceContext } from "../../context/plugin-context.js";
import type { ServiceRegistry } from "../../context/service-registry.js";
import { ReeveError } from "../../errors.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { Health, StopReason } from "../../plugin-api/plugin.js";
import { type Bridge, type BridgeOptions, buildBridge } from "../isolation/bridge/bridge.js";
import type { PluginPeer } from "../isolation/bridge/plugin-peer.js";
import type { Carrier } from "../isolation/carrier.js";
import { openCarrier } from "../isolation/open.js";
import { Peer } from "../isolation/peer.js";
import { viewOf } from "./configuration.js";
import type { Instance, InstanceConfiguration, Preparation, Usage } from "./instance.js";

const ENTRY = new URL("../isolation/plugin-side/main.js", import.meta.url);

/** The code is being started; `setup` has it import the plugin and set it up. */
export function openRemote(
  source: PluginSource,
  isolation: "worker" | "process",
  context: InstanceContext,
  registry: ServiceRegistry,
  dropped: BridgeOptions["dropped"],
): RemoteInstance {
  const { description, code, module } = source;
  if (module === undefined) throw new TypeError("The plugin has no module of its own.");
  const { log, directories } = context.context;
  const carrier = openCarrier(isolation, {
    entry: ENTRY,
    name: description.id,
    code,
    permissions: description.permissions,
    own: [directories.state, directories.cache, directories.temporary],
    print: (stream, line) => log.info(line, { stream }),
  });
  return new RemoteInstance(module, carrier, context, registry, dropped);
}

const MEBIBYTE = 1024 * 1024;
/** Bytes of buffers that a plugin may hold; nothing else limits them. */
const MOST_EXTERNAL = 512 * MEBIBYTE;

export class RemoteInstance implements Instance {
  readonly gone: Promise<string>;
  readonly #module: string;
  readonly #carrier: Carrier;
  readonly #context: InstanceContext;
  readonly #registry: ServiceRegistry;
  readonly #peer: PluginPeer;
  readonly #unwatch: () => void;
  /** Ends it, with why: a sentence without its subject. */
  readonly #fault: (why: string) => void;
  #attempts = 0;
  #usage: Usage | undefined;

  constructor(
    module: string,
    carrier: Carrier,
    context: InstanceContext,
    registry: ServiceRegistry,
    dropped: BridgeOptions["dropped"],
  ) {
    const { promise: faulted, resolve: fault } = Promise.withResolvers<string>();
    this.#fault = fault;
    const bridge: Bridge = buildBridge({
      context: context.context,
      claims: context.claims,
      registry,
      peer: () => this.#peer,
      fault: (reason) => fault(`did what it must not: ${reason}`),
      dropped,
    });
    this.#module = module;
    this.#carrier = carrier;
    this.#context = context;
    this.#registry = registry;
    this.#peer = new Peer(carrier.port, bridge.handlers);
    this.#unwatch = registry.watch(() => this.#peer.notify("services", registry.directory()));
    this.gone = Promise.race([carrier.gone, faulted]);
    void carrier.gone.then((why) => {
      this.#unwatch();
      this.#peer.close(new ReeveError("plugin_gone", `It ${why}.`));
      bridge.close();
    });
  }

  get pid(): number | undefined {
    return this.#carrier.pid;
  }

  async setup(signal: AbortSignal): Promise<void> {
    const { host, directories, clock } = this.#context.context;
    const start = {
      module: this.#module,
      host,
      directories: { ...directories },
      services: this.#registry.directory(),
      now: clock.now(),
    };
    await this.#peer.call("setup", start, signal);
  }

  async prepare(part: InstanceConfiguration, signal: AbortSignal): Promise<Preparation> {
    this.#attempts += 1;
    const attempt = this.#attempts;
    const { claims } = this.#context;
    claims.begin();
    const { generation, changes } = part;
    const blocks = part.blocks.map((block) => encodeValue(viewOf(block)));
    const sent = { attempt, generation, blocks, changes: [...changes] };
    try {
      const { reports } = await this.#peer.call("prepare", sent, signal);
      return {
        reports,
        commit: () => {
          this.#peer.notify("commit", attempt);
          claims.commit();
        },
        abort: async () => {
          await claims.abort();
          await this.#peer.call("abort", attempt);
        },
        release: async () => {
          await Promise.all([claims.release(), this.#peer.call("release", attempt)]);
        },
      };
    } catch (thrown) {
      await claims.abort();
      throw thrown;
    }
  }

  async stop(reason: StopReason, signal: AbortSignal): Promise<void> {
    await this.#peer.call("stop", reason, signal);
  }

  async health(): Promise<Health> {
    const [health, usage] = await Promise.all([
      this.#peer.call("health", undefined as never),
      this.#peer.call("usage", undefined as never),
    ]);
    const { heap, external, cpu } = usage;
    this.#usage = { heap, cpu };
    if (external > MOST_EXTERNAL)
      this.#fault(`ran out of memory (${MOST_EXTERNAL / MEBIBYTE} MiB outside its heap)`);
    return health;
  }

  panels(): Promise<readonly Panel[]> {
    return this.#peer.call("panels", undefined as never);
  }

  resolveSecret(reference: string, signal: AbortSignal): Promise<string> {
    return this.#peer.call("secret", reference, signal);
  }

  async ping(): Promise<void> {
    await this.#peer.call("ping", undefined as never);
  }

  async terminate(): Promise<void> {
    await this.#carrier.terminate();
  }

  usage(): Usage | undefined {
    return this.#usage;
  }

  suspend(why: string): void {
    this.#context.claims.suspend(why);
  }

  async dispose(): Promise<void> {
    this.#unwatch();
    await this.#carrier.terminate();
    await this.#context.dispose();
  }

  releaseClaims(replaced: boolean): Promise<void> {
    return this.#context.claims.close({ keepControl: replaced });
  }
}
