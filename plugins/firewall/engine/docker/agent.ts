/** The agent: the command's container, in the gate's namespaces. */
import type { Socket } from "node:net";
import type { SandboxExit } from "../namespace.js";
import type { Sandbox } from "../sandbox.js";
import { type EngineApi, EngineRefusal, refuseEnded } from "./api.js";
import { type AgentPlan, agentBody } from "./containers.js";
import { connectStreams } from "./streams.js";

/** @throws {FirewallError} */
export async function startAgent(
  api: EngineApi,
  plan: AgentPlan,
  gateId: string,
  signal: AbortSignal,
): Promise<Sandbox> {
  refuseEnded(signal);
  const { Id: id } = await api.ask<{ Id: string }>(
    "POST",
    `/containers/create?name=${encodeURIComponent(plan.name)}`,
    { body: agentBody(plan, gateId) },
  );
  const stream = await api.hijack(`/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`);
  const kill = (name: NodeJS.Signals) => {
    // A container that has ended needs no signal.
    api.ask("POST", `/containers/${id}/kill?signal=${name}`).catch(() => {});
  };
  const streams = connectStreams(stream, plan.terminal, {
    resize: (rows, columns) => {
      api.ask("POST", `/containers/${id}/resize?h=${rows}&w=${columns}`).catch(() => {});
    },
    outputClosed: () => kill("SIGPIPE"),
  });
  let ended: Promise<{ readonly StatusCode: number }>;
  try {
    // Waits from before the start: the engine removes a short-lived container at once.
    ({ result: ended } = await api.watch<{ readonly StatusCode: number }>(
      `/containers/${id}/wait?condition=next-exit`,
    ));
    // Not cancelled, because the command may run before the response.
    await api.ask("POST", `/containers/${id}/start`);
  } catch (thrown) {
    streams.close();
    throw thrown;
  }
  streams.started();
  return {
    pid: await processOf(api, id),
    exited: exitOf(ended, streams.ended, stream),
    signal: (name) => {
      kill(name);
      return true;
    },
    kill: () => kill("SIGKILL"),
  };
}

/** In the host's numbering; 0 if it has ended. */
async function processOf(api: EngineApi, id: string): Promise<number> {
  try {
    const { State } = await api.ask<{ State: { Pid: number } }>("GET", `/containers/${id}/json`);
    return State.Pid;
  } catch (thrown) {
    if (thrown instanceof EngineRefusal && thrown.status === 404) return 0;
    throw thrown;
  }
}

/** The exit code, once all output has been written. */
async function exitOf(
  ended: Promise<{ readonly StatusCode: number }>,
  written: Promise<void>,
  stream: Socket,
): Promise<SandboxExit> {
  const { StatusCode: code } = await ended;
  await written;
  stream.destroy();
  return { code, signal: null };
}
