/** How a sandbox's proxy reaches the network and this machine. */
import type { ProxySettings } from "../proxy/context.js";
import { type Dialler, DirectDialler } from "../proxy/dial.js";
import { ParentDialler } from "../proxy/parent-dialler.js";
import { NameResolver } from "../proxy/resolver.js";
import { hostAddress, hostAlias, type NetworkSpec } from "./spec.js";
import { readUpstream } from "./upstream.js";

/** @throws {FirewallError} `invalid_upstream_proxy`, `invalid_proxy_variable` */
export function createDialler({ dns }: NetworkSpec, upstreamProxy: string | undefined): Dialler {
  const resolver = new NameResolver({ servers: dns.servers, fallBack: !dns.chosen });
  const direct = new DirectDialler(resolver);
  const upstream = readUpstream(upstreamProxy, process.env);
  return upstream ? new ParentDialler(upstream.parent, direct, upstream.direct, resolver) : direct;
}

export function hostAccess({ hostPorts }: NetworkSpec): Pick<ProxySettings, "hostAccess"> {
  if (!hostPorts) return {};
  return {
    hostAccess: { names: new Set([hostAlias]), address: hostAddress, ports: new Set(hostPorts) },
  };
}
