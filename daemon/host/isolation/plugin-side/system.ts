/** Files, commands and other plugins' services, used through the host. */
import { decodeValue, encodeValue } from "../../../config/values/wire.js";
import { ReeveError } from "../../../errors.js";
import type { Services } from "../../../plugin-api/context.js";
import type { FileSet, Files } from "../../../plugin-api/files.js";
import type { Processes, ProcessRequest } from "../../../plugin-api/processes.js";
import type { PluginMethods } from "../methods.js";
import { type HostPeer, Numbered } from "./host-peer.js";

type Argument<Name extends keyof PluginMethods> = Parameters<PluginMethods[Name]>[0];

export function createFiles(host: HostPeer): {
  readonly api: Files;
  changed(set: Argument<"files">): void;
} {
  const watches = new Numbered<(files: FileSet) => void>();
  return {
    api: {
      async watch(patterns, options, changed) {
        const watch = watches.add(changed);
        await host.call("files.watch", { watch, patterns, options });
        return {
          async close() {
            watches.delete(watch);
            await host.call("files.close", watch);
          },
        };
      },
    },
    changed: ({ watch, files }) => watches.get(watch)?.(files),
  };
}

export function createProcesses(host: HostPeer): {
  readonly api: Processes;
  output(chunk: Argument<"output">): void;
} {
  const listeners = new Numbered<NonNullable<ProcessRequest["onOutput"]>>();
  const silent = () => undefined;
  return {
    api: {
      async run({ onOutput, signal, ...request }) {
        const number = listeners.add(onOutput ?? silent);
        const output = onOutput !== undefined;
        const sent = { process: number, request: encodeValue(request), output };
        try {
          return await host.call("process.run", sent, signal);
        } finally {
          listeners.delete(number);
        }
      },
    },
    output: ({ process, stream, data }) => listeners.get(process)?.(stream, data),
  };
}

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

export class RemoteServices implements Services {
  readonly #host: HostPeer;
  readonly #own = new Map<string, Methods>();
  readonly #facades = new Map<string, Methods>();

  constructor(host: HostPeer) {
    this.#host = host;
  }

  /** What there is to use from now on. */
  learn(directory: Argument<"services">): void {
    this.#facades.clear();
    for (const [name, methods] of Object.entries(directory)) {
      const facade = methods.map((method) => [
        method,
        async (...args: unknown[]) => {
          const sent = { name, method, args: args.map(encodeValue) };
          return decodeValue(await this.#host.call("service.call", sent));
        },
      ]);
      this.#facades.set(name, Object.freeze(Object.fromEntries(facade)) as Methods);
    }
  }

  provide(name: string, implementation: Methods): void {
    this.#own.set(name, implementation);
    this.#host.notify("service.provide", { name, methods: Object.keys(implementation) });
  }

  use<Service>(name: string): Service | undefined {
    return this.#facades.get(name) as Service | undefined;
  }

  /** Another plugin asks. */
  async answer({ name, method, args }: Argument<"service">): Promise<unknown> {
    const methods = this.#own.get(name);
    const called = methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (called) return encodeValue(await called.apply(methods, args.map(decodeValue) as never[]));
    throw new ReeveError("no_service", `There is no method "${method}" of "${name}".`);
  }
}
