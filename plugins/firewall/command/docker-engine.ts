/** The engine with containers: Docker starts and stops the command; policy, proxy and view are the same. */
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Attribution } from "../engine/attribution.js";
import { startAgent } from "../engine/docker/agent.js";
import { EngineApi, EngineRefusal } from "../engine/docker/api.js";
import { composeFile } from "../engine/docker/compose.js";
import { type AgentPlan, type GatePlan, labels, networkName } from "../engine/docker/containers.js";
import { engineSocket } from "../engine/docker/endpoint.js";
import { type Gate, openGate } from "../engine/docker/gate.js";
import { type ImagePlan, planImage, provideImage } from "../engine/docker/images.js";
import { processesInNamespaceOf } from "../engine/docker/members.js";
import { planMounts } from "../engine/docker/mount-plan.js";
import { removeNetwork } from "../engine/docker/network.js";
import { ownerLabel, removeAbandonedContainers } from "../engine/docker/owner.js";
import { seccompProfile } from "../engine/docker/seccomp-profile.js";
import { extractLayers } from "../engine/home/overlay.js";
import { mountSteps } from "../engine/mounts.js";
import { processesBelow } from "../engine/processes.js";
import { missingPackages } from "../engine/requirements.js";
import type { Sandbox, SandboxCommand } from "../engine/sandbox.js";
import { FirewallError } from "../errors.js";
import type { PreparedSandbox, SandboxEngine } from "../sandbox/launch.js";
import { enterPlan, type SandboxSpec } from "../sandbox/spec.js";
import { refuseMissing } from "./enter.js";
import { imageRequest } from "./images.js";
import type { Messages } from "./messages.js";
import type { WrittenOptions } from "./options.js";

/** The gate's own processes: its shell and `cat`. */
const gateProcesses = 2;
/** The engine normally stops and removes a container within a second. */
const longestWaitMs = 30_000;

export class DockerEngine implements SandboxEngine {
  readonly nests = false;
  readonly #spec: SandboxSpec;
  readonly #messages: Messages;
  readonly #api: EngineApi;
  readonly #image: ImagePlan;
  readonly #keep: boolean;
  #names: readonly string[] = [];
  #gate: Gate | undefined;
  #stopped: Promise<void> | undefined;

  /** @throws {FirewallError} `needs_root`, `missing_programs`, `engine_elsewhere` */
  constructor(spec: SandboxSpec, options: WrittenOptions, messages: Messages) {
    if (process.getuid?.() !== 0) {
      throw new FirewallError(
        "needs_root",
        "The Docker engine's containers can only be fenced in by root. Run awf by sudo, or use --engine native, which needs no root",
      );
    }
    refuseMissing(missingPackages("docker"));
    this.#spec = spec;
    this.#messages = messages;
    this.#api = new EngineApi(engineSocket(options.dockerHost));
    this.#image = planImage(imageRequest(options));
    this.#keep = options.keepContainers === true;
  }

  async prepare(workDirectory: string, ending: AbortSignal): Promise<PreparedSandbox> {
    this.#messages.info("Generating configuration files...");
    await removeAbandonedContainers(this.#api);
    await provideImage(this.#api, this.#image, workDirectory, ending, (text) =>
      this.#messages.info(text),
    );
    const project = projectName(workDirectory);
    this.#names = [`${project}-agent`, `${project}-gate`];
    this.#messages.info("Starting containers...");
    const plan: GatePlan = {
      ...this.#common(`${project}-gate`, "gate"),
      hostname: hostname(),
      dnsServers: this.#spec.dns.servers,
    };
    const gate = await openGate(this.#api, plan, enterPlan(this.#spec), ending);
    this.#gate = gate;
    let agent: number | undefined;
    const members = () => {
      const own = processesBelow([gate.pid]);
      if (agent === undefined) return processesInNamespaceOf(gate.pid, own.slice(0, gateProcesses));
      return [...processesBelow([agent]), ...own.slice(gateProcesses)];
    };
    return {
      sockets: gate.namespace.sockets,
      attribution: new Attribution(gate.pid, members),
      start: async (command) => {
        const sandbox = await this.#start(command, project, plan, gate, ending);
        // A command that has ended has no processes to attribute.
        agent = sandbox.pid === 0 ? undefined : sandbox.pid;
        return sandbox;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    await this.#stopped;
  }

  async #start(
    { command, view, workDirectory, terminal, homes }: SandboxCommand,
    project: string,
    gatePlan: GatePlan,
    gate: Gate,
    ending: AbortSignal,
  ): Promise<Sandbox> {
    const write = (name: string, text: string, mode = 0o600): string => {
      const path = join(workDirectory, name);
      writeFileSync(path, text, { mode });
      return path;
    };
    const { DockerRootDir } = await this.#api.ask<{ DockerRootDir: string }>("GET", "/info");
    const steps = mountSteps({
      ...view,
      hidden: [...view.hidden, DockerRootDir],
      files: new Map([
        ...view.files,
        ["/etc/hostname", write("hostname", `${hostname()}\n`, 0o644)],
      ]),
    });
    const laidOut = join(workDirectory, "directories");
    const hiding = join(workDirectory, "hiding-layers");
    for (const path of [laidOut, hiding]) mkdirSync(path, { mode: 0o755 });
    extractLayers(homes, hiding);
    const { memoryBytes, processes } = this.#spec;
    const plan: AgentPlan = {
      ...this.#common(`${project}-agent`, "agent"),
      command,
      uid: view.uid,
      gid: view.gid,
      workingDirectory: view.workingDirectory,
      environment: view.environment,
      mounts: planMounts(steps, { laidOut, hiding }),
      terminal,
      seccomp: JSON.stringify(seccompProfile()),
      memoryBytes,
      processes,
    };
    write("seccomp.json", plan.seccomp);
    write(
      "docker-compose.yml",
      composeFile({ project, gate: gatePlan, agent: plan, image: this.#image }),
    );
    write("proxy.json", `${JSON.stringify(proxyConfiguration(this.#spec), undefined, 2)}\n`);
    return startAgent(this.#api, plan, gate.id, ending);
  }

  #common(name: string, role: string): Pick<GatePlan, "name" | "image" | "labels" | "keep"> {
    return {
      name,
      image: this.#image.name,
      // Kept containers get no owner: the next run would remove them with it.
      labels: { [labels.role]: role, ...(this.#keep ? {} : { [labels.owner]: ownerLabel() }) },
      keep: this.#keep,
    };
  }

  async #stop(): Promise<void> {
    const gate = this.#gate;
    if (this.#names.length > 0) this.#messages.info("Stopping containers...");
    gate?.namespace.close();
    gate?.release();
    if (this.#keep) {
      await this.#wait((state) => !state.Running);
      if (this.#names.length > 0) {
        this.#messages.info(
          `Containers preserved. To remove them: docker rm ${this.#names.join(" ")} && docker network rm ${networkName}`,
        );
      }
      return;
    }
    await Promise.all(
      this.#names.map((name) => this.#api.askGently("DELETE", `/containers/${name}?force=1&v=1`)),
    );
    await this.#wait(() => false);
    if (this.#names.length > 0) await removeNetwork(this.#api);
  }

  /** Waits until each container is removed or `isDone`, up to a limit. */
  async #wait(isDone: (state: State) => boolean): Promise<void> {
    const deadline = performance.now() + longestWaitMs;
    for (const name of this.#names) {
      for (let state = await this.#stateOf(name); state && !isDone(state); ) {
        if (performance.now() > deadline) {
          this.#messages.warn(
            `The Docker engine has not ended the container ${name} yet. To remove it: docker rm -f ${name}`,
          );
          return;
        }
        await sleep(10);
        state = await this.#stateOf(name);
      }
    }
  }

  async #stateOf(name: string): Promise<State | undefined> {
    try {
      return (await this.#api.ask<{ State: State }>("GET", `/containers/${name}/json`)).State;
    } catch (thrown) {
      if (thrown instanceof EngineRefusal && thrown.status === 404) return undefined;
      throw thrown;
    }
  }
}

interface State {
  readonly Running: boolean;
}

/** `awf-<timestamp>-<pid>`: runs with other temporary directories may start in the same millisecond. */
function projectName(workDirectory: string): string {
  const name = basename(workDirectory);
  const stamped = /^awf-\d+$/.test(name) ? name : `awf-${Date.now()}`;
  return `${stamped}-${process.pid}`;
}

/** The rules of the proxy, for people to read; without secrets. */
function proxyConfiguration({ policy, dns, hostPorts, intercept }: SandboxSpec): object {
  return {
    allow: policy.allow.patterns.map(({ text }) => text),
    block: policy.block.patterns.map(({ text }) => text),
    intercept,
    urls: policy.urls.map(({ text }) => text).join(","),
    dnsServers: dns.servers,
    hostPorts: hostPorts ?? [],
  };
}
