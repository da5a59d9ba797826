/** Services of the host, at the alias's address and on the allowed ports only. */
import type { Socket } from "node:net";
import { accessRecord, arrive, decisions, type ProxyContext } from "./context.js";
import { type Dialled, open } from "./dial.js";
import { isRefusal } from "./request-limiter.js";
import { splice, tunnelOutcome } from "./splice.js";

/** Connects to the port on the host's loopback. */
export function openHost(port: number): Promise<Dialled> {
  return open(["127.0.0.1", "::1"], port);
}

/** Forwards a connection to the host's port of the same number. */
export async function serveHost(
  client: Socket,
  port: number,
  context: ProxyContext,
): Promise<void> {
  const arrival = arrive(client, context);
  client.on("error", () => client.destroy());
  const [name = "-"] = context.hostAccess?.names ?? [];
  const target = `${name}:${port}`;
  const lookup = context.policy().decideLookup(name);
  const allowed =
    context.hostAccess?.ports.has(port) && (lookup.allowed || lookup.rule === "deny-default");
  const verdict = allowed
    ? { allowed: true, rule: "allow-host-access", reason: "" }
    : {
        allowed: false,
        rule: lookup.pattern === undefined ? "deny-host-port" : lookup.rule,
        reason: `port ${port} of the host is not allowed`,
      };
  const common = { host: target, httpVersion: "-", method: "CONNECT", url: target, verdict };
  if (!allowed) {
    context.record(accessRecord(arrival, { ...common, status: 403, decision: decisions.denied }));
    client.destroy();
    return;
  }
  const admitted = context.limiter?.admit(name, context.policy());
  if (isRefusal(admitted)) {
    context.record(accessRecord(arrival, { ...common, ...tunnelOutcome(verdict, admitted) }));
    client.resetAndDestroy();
    return;
  }
  const dialled = await openHost(port);
  if (dialled.kind !== "connected") {
    context.record(
      accessRecord(arrival, { ...common, status: 503, decision: decisions.unreachable }),
    );
    client.resetAndDestroy();
    return;
  }
  const destination = { address: "127.0.0.1", port };
  const { refusal, ...bytes } = await splice(client, dialled.socket, admitted);
  context.record(
    accessRecord(arrival, {
      ...common,
      ...bytes,
      destination,
      ...tunnelOutcome(verdict, refusal),
    }),
  );
}
