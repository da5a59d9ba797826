/** Connections of programs that use no proxy, on ports that entries list. */
import type { Socket } from "node:net";
import type { AddressNames } from "./address-names.js";
import { limitOf } from "./connect.js";
import {
  accessRecord,
  arrive,
  decisions,
  destinationOf,
  type ProxyContext,
  unmappedAddress,
} from "./context.js";
import { isRefusal } from "./request-limiter.js";
import { splice, tunnelOutcome } from "./splice.js";
import type { TunnelHandler } from "./tunnel.js";
import type { WebHandler } from "./web-handler.js";

export interface CapturedHandlers {
  readonly names: AddressNames;
  readonly web: WebHandler;
  readonly tunnel: TunnelHandler;
}

/**
 * The address must belong to a listed name that the sandbox resolved, or be listed itself. Ports whose entries have a
 * prefix are checked by what the client sends.
 */
export function serveCaptured(
  context: ProxyContext,
  { names, web, tunnel }: CapturedHandlers,
  client: Socket,
  port: number,
): void {
  const address = unmappedAddress(client.localAddress);
  const policy = context.policy();
  const known = [...names.namesOf(address), address];
  const limits = new Set(known.map((host) => limitOf(context, host, port)));
  const open = (host: string) => policy.decide({ host, port, protocol: "tcp" }).allowed;
  const host = limits.size > 1 || !limits.has(undefined) ? undefined : known.find(open);
  const isLimited = (protocol: "http" | "https") =>
    limits.has(protocol) || policy.limitsPort(port, protocol);
  if (host === undefined && isLimited("https")) {
    context.track(tunnel.serve({ client, port, arrival: arrive(client, context) }));
  } else if (host === undefined && isLimited("http")) {
    web.accept(client, { kind: "transparent", address, port });
  } else {
    context.track(pass(context, client, host ?? known[0] ?? address, port));
  }
}

/** Forwards all bytes to the name or address. Never rejects. */
async function pass(
  context: ProxyContext,
  client: Socket,
  host: string,
  port: number,
): Promise<void> {
  const arrival = arrive(client, context);
  client.on("error", () => client.destroy());
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const common = { host: target, httpVersion: "-", method: "CONNECT", url: target };
  const policy = context.policy();
  const verdict = policy.decide({ host, port, protocol: "tcp" });
  const admitted = verdict.allowed ? context.limiter?.admit(host, policy) : verdict;
  const dialled = isRefusal(admitted)
    ? ({ kind: "refused", verdict: admitted } as const)
    : await context.dialler.dial(host, port, "tcp", policy);
  if (dialled.kind !== "connected") {
    client.resetAndDestroy();
    const outcome =
      dialled.kind === "refused"
        ? tunnelOutcome(verdict, dialled.verdict)
        : {
            status: 503,
            decision: decisions.unreachable,
            verdict: { ...verdict, reason: dialled.reason },
          };
    return context.record(accessRecord(arrival, { ...common, ...outcome }));
  }
  const destination = destinationOf(dialled.socket);
  const meter = isRefusal(admitted) ? undefined : admitted;
  const { refusal, ...bytes } = await splice(client, dialled.socket, meter);
  const outcome = { ...tunnelOutcome(verdict, refusal), destination, ...bytes };
  context.record(accessRecord(arrival, { ...common, ...outcome }));
}
