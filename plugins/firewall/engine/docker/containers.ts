/**
 * The two containers of a run. The gate holds the network and process namespaces of both while awf holds its input: it
 * ends with awf, and the agent's processes with it. The agent is the command.
 */
import type { MountPlan } from "./mount-plan.js";

export const networkName = "awf-net";

export const labels = {
  /** The run's process id, its start time, and the process namespace of that id. */
  owner: "dev.reeve.awf.owner",
  role: "dev.reeve.awf.role",
} as const;

interface Common {
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Stays after its end. */
  readonly keep: boolean;
}

export interface GatePlan extends Common {
  readonly hostname: string;
  /** Used by the engine's own resolver from inside, so the policy applies to it as well. */
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

/** Ends with its input. The shell is the init process and reaps the command's orphans. */
export const gateCommand = ["/bin/sh", "-c", "cat >/dev/null; :"] as const;
/** The user `nobody`: the command can neither signal nor inspect its processes. */
export const gateUser = "65534:65534";

/** The body of the request that creates the gate. */
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

/** The body of the request that creates the agent. */
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
      Mounts: [
        ...mounts.binds.map(({ from, at, writable }) => ({
          Type: "bind",
          Source: from,
          Target: at,
          ReadOnly: !writable,
        })),
        // Without a name it goes with its container.
        ...mounts.overlays.map(({ at, options }) => ({
          Type: "volume",
          Target: at,
          VolumeOptions: {
            NoCopy: true,
            DriverConfig: {
              Name: "local",
              Options: { type: "overlay", device: "overlay", o: options },
            },
          },
        })),
      ],
      Tmpfs: Object.fromEntries(mounts.memory),
      LogConfig: { Type: plan.keep ? "json-file" : "none" },
      ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
      ...(processes === undefined ? {} : { PidsLimit: processes }),
    },
  };
}

function hardened({ keep }: Common): object {
  // With remapped users the host's files would belong to others.
  return { CapDrop: ["ALL"], ReadonlyRootfs: true, AutoRemove: !keep, UsernsMode: "host" };
}
