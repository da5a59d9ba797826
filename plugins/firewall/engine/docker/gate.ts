/** The gate container creates the namespaces, and holding its input keeps them. */
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { EnterPlan } from "../enter.js";
import { joinNamespace, type Namespace } from "../namespace.js";
import { type EngineApi, EngineRefusal, refuseEnded } from "./api.js";
import { type GatePlan, gateBody } from "./containers.js";
import { provideNetwork } from "./network.js";

export interface Gate {
  readonly id: string;
  /** Its first process, in the host's numbering. */
  readonly pid: number;
  /** The sockets opened in its network. */
  readonly namespace: Namespace;
  /** Ends the gate and every process in its namespaces. */
  release(): void;
}

interface Made {
  readonly id: string;
  readonly input: Socket;
}

/** The interface of a container with one network. */
const interfaces = ["eth0"];
const mostAttempts = 8;
const networkProblem = /network .*(not found|ambiguous)|failed to create endpoint/i;

/** @throws {FirewallError} */
export async function openGate(
  api: EngineApi,
  plan: GatePlan,
  sockets: EnterPlan,
  signal: AbortSignal,
): Promise<Gate> {
  const { id, input } = await startGate(api, plan, signal);
  const { State } = await api.ask<{ State: { Pid: number } }>("GET", `/containers/${id}/json`);
  const pending = joinNamespace(State.Pid, interfaces);
  try {
    const namespace = await pending.open(sockets);
    return { id, pid: State.Pid, namespace, release: () => input.destroy() };
  } catch (thrown) {
    input.destroy();
    throw thrown;
  } finally {
    await pending.abandon();
  }
}

/** Another run may remove the network, or add one, between look-up and use. */
async function startGate(api: EngineApi, plan: GatePlan, signal: AbortSignal): Promise<Made> {
  for (let attempt = 1; ; attempt += 1) {
    refuseEnded(signal);
    const body = gateBody(plan, await provideNetwork(api));
    const { Id: id } = await api.ask<{ Id: string }>(
      "POST",
      `/containers/create?name=${encodeURIComponent(plan.name)}`,
      { body },
    );
    const input = await api.hijack(`/containers/${id}/attach?stream=1&stdin=1`);
    input.on("error", () => {});
    try {
      await api.ask("POST", `/containers/${id}/start`);
      return { id, input };
    } catch (thrown) {
      input.destroy();
      await api.askGently("DELETE", `/containers/${id}?force=1&v=1`);
      const other = thrown instanceof EngineRefusal && networkProblem.test(thrown.message);
      if (!other || attempt === mostAttempts) throw thrown;
      await sleep(100 * attempt);
    }
  }
}
