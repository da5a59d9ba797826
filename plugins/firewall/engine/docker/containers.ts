/**
 * The two containers of a run. The gate holds the network and process namespaces that both share, for as long as awf
 * holds its input: however awf ends, the gate ends then, and with it every process of the agent. The agent is the command.
 */
import type { MountPlan } from "./mount-plan.js";

export const networkName = "awf-net";

export const labels = {
  /** Whose run it is: process id, its start time, and the process namespace in which that is its id. */
  owner: "dev.reeve.awf.owner",
  role: "dev.reeve.awf.role",
} as const;

interface Common {
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Stays when it has ended. */
  readonly keep: boolean;
}

export interface GatePlan extends Common {
  readonly hostname: string;
  /** Asked by the engine's own resolver, from inside, so the policy decides about it, too. */
  readonly dnsServers: readonly string[];
}

export interface AgentPlan extends Common {
  readonly command: readonly string[];
  readonly uid: number;
  readonly gid: number;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: MountPlan;
  readonly terminal: boolean;
  /** The system call filter as JSON. */
  readonly seccomp: string;
  readonly memoryBytes?: number | undefined;
  readonly processes?: number | undefined;
}

/** Ends with its input. The shell is the first process, so it also buries what the command leaves behind. */
export const gateCommand = ["/bin/sh", "-c", "cat >/dev/null; :"] as const;
/** Nobody: its processes can neither be signalled by the command nor look at it. */
export const gateUser = "65534:65534";

/** What the engine is told to make the gate. */
export function gateBody(plan: GatePlan, networkId: string): object {
  return {
    Image: plan.image,
    Entrypoint: gateCommand,
    Cmd: [],
    User: gateUser,
    Hostname: plan.hostname,
    WorkingDir: "/",
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    Labels: plan.labels,
    HostConfig: {
      ...hardened(plan),
      SecurityOpt: ["no-new-privileges:true"],
      NetworkMode: networkId,
      Dns: plan.dnsServers,
      LogConfig: { Type: "none" },
    },
  };
}

/** What the engine is told to make the agent. */
export function agentBody(plan: AgentPlan, gateId: string): object {
  const { memoryBytes, processes, mounts } = plan;
  return {
    Image: plan.image,
    Entrypoint: plan.command,
    Cmd: [],
    User: `${plan.uid}:${plan.gid}`,
    WorkingDir: plan.workingDirectory,
    Env: Object.entries(plan.environment).map(([name, value]) => `${name}=${value}`),
    Tty: plan.terminal,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Labels: plan.labels,
    HostConfig: {
      ...hardened(plan),
      SecurityOpt: ["no-new-privileges:true", "label=disable", `seccomp=${plan.seccomp}`],
      NetworkMode: `container:${gateId}`,
      PidMode: `container:${gateId}`,
      IpcMode: "private",
      Mounts: mounts.binds.map(({ from, at, writable }) => ({
        Type: "bind",
        Source: from,
        Target: at,
        ReadOnly: !writable,
      })),
      Tmpfs: Object.fromEntries(mounts.memory),
      LogConfig: { Type: plan.keep ? "json-file" : "none" },
      ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
      ...(processes === undefined ? {} : { PidsLimit: processes }),
    },
  };
}

function hardened({ keep }: Common): object {
  // An engine that renumbers users would show the host's files as somebody else's.
  return { CapDrop: ["ALL"], ReadonlyRootfs: true, AutoRemove: !keep, UsernsMode: "host" };
}
