/** The run as a compose file, for people to read and keep. */
import { stringify } from "yaml";
import { type AgentPlan, type GatePlan, gateCommand, gateUser, networkName } from "./containers.js";
import type { ImagePlan } from "./images.js";

export interface ComposeRequest {
  readonly project: string;
  readonly gate: GatePlan;
  readonly agent: AgentPlan;
  readonly image: ImagePlan;
}

const head = `# Written by awf. The gate holds the network; awf itself decides what leaves it, from outside, and is no service here:
# started by hand, these containers reach nothing.
`;

/** Contains no values of the caller's environment. */
export function composeFile({ project, gate, agent, image }: ComposeRequest): string {
  const { memoryBytes, processes, mounts, environment } = agent;
  const common = {
    image: image.name,
    pull_policy: { registry: "missing", local: "never", build: "build" }[image.source],
    cap_drop: ["ALL"],
    read_only: true,
    userns_mode: "host",
    stdin_open: true,
  };
  const document = {
    name: project,
    services: {
      gate: {
        ...common,
        container_name: gate.name,
        entrypoint: escaped(gateCommand),
        user: gateUser,
        hostname: gate.hostname,
        security_opt: ["no-new-privileges:true"],
        dns: gate.dnsServers,
        networks: [networkName],
        labels: gate.labels,
      },
      agent: {
        ...common,
        ...(image.source === "build"
          ? { build: { context: "./agent", args: { BASE_IMAGE: image.base } } }
          : {}),
        container_name: agent.name,
        depends_on: ["gate"],
        network_mode: "service:gate",
        pid: "service:gate",
        ipc: "private",
        entrypoint: escaped(agent.command),
        user: `${agent.uid}:${agent.gid}`,
        working_dir: agent.workingDirectory,
        tty: agent.terminal,
        environment: Object.entries(environment).map(([name, value]) =>
          isOwn(name, value) ? `${name}=${dollars(value)}` : name,
        ),
        security_opt: ["no-new-privileges:true", "label=disable", "seccomp=./seccomp.json"],
        volumes: [
          ...mounts.binds.map(({ from, at, writable }) => ({
            type: "bind",
            source: dollars(from),
            target: dollars(at),
            read_only: !writable,
          })),
          ...mounts.overlays.map(({ at }, index) => ({
            type: "volume",
            source: `home-${index}`,
            target: dollars(at),
          })),
        ],
        tmpfs: [...mounts.memory].map(([at, options]) => `${dollars(at)}:${options}`),
        ...(memoryBytes === undefined
          ? {}
          : { mem_limit: memoryBytes, memswap_limit: memoryBytes }),
        ...(processes === undefined ? {} : { pids_limit: processes }),
        labels: agent.labels,
      },
    },
    volumes: Object.fromEntries(
      mounts.overlays.map(({ options }, index) => [
        `home-${index}`,
        { driver_opts: { type: "overlay", device: "overlay", o: dollars(options) } },
      ]),
    ),
    networks: { [networkName]: { name: networkName, driver: "bridge", internal: true } },
  };
  return head + stringify(document, { lineWidth: 0 });
}

/** Values that awf chose. Others may be secrets, so only their names appear. */
function isOwn(name: string, value: string): boolean {
  return /^(PATH|HOME|NO_PROXY|no_proxy)$/.test(name) || /^(http:\/\/127|\/run\/awf\/)/.test(value);
}

/** Compose replaces `$NAME` everywhere. */
function dollars(text: string): string {
  return text.replaceAll("$", "$$$$");
}

function escaped(words: readonly string[]): string[] {
  return words.map(dollars);
}
