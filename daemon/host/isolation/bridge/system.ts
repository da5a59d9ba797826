/** The host's end of files, commands and services. */
import { decodeValue, encodeValue } from "../../../config/values/wire.js";
import type { ServiceRegistry } from "../../../context/service-registry.js";
import { ReeveError } from "../../../errors.js";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { Watch } from "../../../plugin-api/files.js";
import type { ProcessRequest } from "../../../plugin-api/processes.js";
import type { SentProcessRequest } from "../methods.js";
import { Known, type Part, type PluginPeer } from "./plugin-peer.js";

type Guest = () => PluginPeer;

export function watches(
  { files }: PluginContext,
  guest: Guest,
): Part<"files.watch" | "files.close"> {
  const open = new Known<number, Watch>("watch");
  return {
    async "files.watch"({ watch, patterns, options }) {
      const changed = (set: Parameters<Parameters<typeof files.watch>[2]>[0]): void =>
        guest().tell("files", { watch, files: set });
      open.set(watch, await files.watch(patterns, options, changed));
    },
    async "files.close"(watch) {
      await open.find(watch)?.close();
      open.delete(watch);
    },
  };
}

export function commands({ processes }: PluginContext, guest: Guest): Part<"process.run"> {
  return {
    "process.run": ({ process, request, output }, signal) => {
      const told: Pick<ProcessRequest, "onOutput"> = output
        ? { onOutput: (stream, data) => guest().tell("output", { process, stream, data }) }
        : {};
      const sent = decodeValue(request) as SentProcessRequest;
      return processes.run({ ...sent, ...told, signal });
    },
  };
}

export function services(
  context: PluginContext,
  exchange: ServiceRegistry,
  guest: Guest,
): Part<"service.provide" | "service.call"> {
  return {
    "service.provide": ({ name, methods }) => {
      const ask =
        (method: string) =>
        async (...args: unknown[]): Promise<unknown> => {
          const answer = await guest().call("service", {
            name,
            method,
            args: args.map(encodeValue),
          });
          return decodeValue(answer);
        };
      const proxies = Object.fromEntries(methods.map((method) => [method, ask(method)]));
      context.services.provide(name, proxies);
    },
    "service.call": async ({ name, method, args }) => {
      const methods = exchange.find(name);
      const called = methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!called) throw new ReeveError("no_service", `Nobody provides "${method}" of "${name}".`);
      return encodeValue(await called(...args.map(decodeValue)));
    },
  };
}
