/** The host's end of files, commands and services. */
import { decodeValue, encodeValue } from "../../../config/values/wire.js";
import type { ServiceRegistry } from "../../../context/service-registry.js";
import { ReeveError } from "../../../errors.js";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { Watch } from "../../../plugin-api/files.js";
import type { ProcessRequest } from "../../../plugin-api/processes.js";
import type { SentProcessRequest } from "../methods.js";
import { type BridgePart, Handles, type PluginPeer } from "./plugin-peer.js";

type PluginPeerSource = () => PluginPeer;

export function watches(
  { files }: PluginContext,
  peer: PluginPeerSource,
): BridgePart<"files.watch" | "files.close"> {
  const open = new Handles<number, Watch>("watch");
  return {
    async "files.watch"({ watch, patterns, options }) {
      const changed = (set: Parameters<Parameters<typeof files.watch>[2]>[0]): void =>
        peer().notify("files", { watch, files: set });
      open.set(watch, await files.watch(patterns, options, changed));
    },
    async "files.close"(watch) {
      await open.find(watch)?.close();
      open.delete(watch);
    },
  };
}

export function commands(
  { processes }: PluginContext,
  peer: PluginPeerSource,
): BridgePart<"process.run"> {
  return {
    "process.run": ({ process, request, output }, signal) => {
      const listener: Pick<ProcessRequest, "onOutput"> = output
        ? { onOutput: (stream, data) => peer().notify("output", { process, stream, data }) }
        : {};
      const sent = decodeValue(request) as SentProcessRequest;
      return processes.run({ ...sent, ...listener, signal });
    },
  };
}

export function services(
  context: PluginContext,
  registry: ServiceRegistry,
  peer: PluginPeerSource,
): BridgePart<"service.provide" | "service.call"> {
  return {
    "service.provide": ({ name, methods }) => {
      const ask =
        (method: string) =>
        async (...args: unknown[]): Promise<unknown> => {
          const answer = await peer().call("service", {
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
      const methods = registry.find(name);
      const called = methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!called)
        throw new ReeveError(
          "no_service",
          `No plugin provides "${method}" of the service "${name}".`,
        );
      return encodeValue(await called(...args.map(decodeValue)));
    },
  };
}
