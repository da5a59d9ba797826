/** What a run is put together from, as its settings say: limits, host access, the way out. */
import { ControlGroup } from "../engine/limits.js";
import type { Namespace } from "../engine/namespace.js";
import { childProcesses } from "../engine/sandbox.js";
import type { ProxySettings } from "../proxy/context.js";
import { type Dialler, DirectDialler } from "../proxy/dial.js";
import { ParentDialler } from "../proxy/parent-dialler.js";
import { NameResolver } from "../proxy/resolver.js";
import { hostAlias } from "./domains.js";
import { hostAddress } from "./enter.js";
import type { Settings } from "./settings.js";
import { readUpstream } from "./upstream.js";

export function applyLimits(
  { memoryBytes, processes }: Settings,
  name: string,
  namespace: Namespace,
): ControlGroup | undefined {
  if (memoryBytes === undefined && processes === undefined) return undefined;
  return new ControlGroup(name, [namespace.pid, ...childProcesses(namespace.pid)], {
    memoryBytes,
    processes,
  });
}

export function hostAccessOf({ hostPorts }: Settings): Pick<ProxySettings, "hostAccess"> {
  if (!hostPorts) return {};
  return {
    hostAccess: { names: new Set([hostAlias]), address: hostAddress, ports: new Set(hostPorts) },
  };
}

export function diallerFor({ dns, options }: Settings): Dialler {
  const resolver = new NameResolver({ servers: dns.servers, fallBack: !dns.chosen });
  const direct = new DirectDialler(resolver);
  const upstream = readUpstream(options.upstreamProxy, process.env);
  return upstream ? new ParentDialler(upstream.parent, direct, upstream.direct, resolver) : direct;
}
