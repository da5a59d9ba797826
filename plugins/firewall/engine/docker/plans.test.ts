import test from "ava";
import { parse } from "yaml";
import { composeFile } from "./compose.js";
import { type AgentPlan, agentBody, type GatePlan, gateBody } from "./containers.js";
import { type ImageRequest, planImage } from "./images.js";

const gate: GatePlan = {
  name: "awf-1-gate",
  image: "r/agent:1",
  labels: { role: "gate" },
  keep: false,
  hostname: "here",
  dnsServers: ["8.8.8.8"],
};
const agent: AgentPlan = {
  name: "awf-1-agent",
  image: "r/agent:1",
  labels: { role: "agent" },
  keep: false,
  command: ["bash", "-c", "echo $HOME"],
  uid: 1000,
  gid: 1001,
  workingDirectory: "/home/me",
  environment: {
    HOME: "/home/me",
    HTTP_PROXY: "http://127.0.0.1:3128",
    TOKEN: "s3cret",
    https_proxy: "http://user:s3cret@elsewhere",
  },
  mounts: {
    binds: [
      { from: "/usr", at: "/usr", writable: false },
      { from: "/home/me", at: "/home/me", writable: true },
    ],
    overlays: [{ at: "/home/you", options: "lowerdir=/run/a:/home/you" }],
    memory: new Map([["/tmp", "rw,mode=1777"]]),
  },
  terminal: false,
  seccomp: "{}",
  memoryBytes: 64,
  processes: 7,
};

interface Body {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Mounts: unknown;
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

test("no container has a capability, a writable root, new privileges or the engine's socket", (t) => {
  for (const body of [gateBody(gate, "net"), agentBody(agent, "gate")] as Body[]) {
    const { HostConfig } = body;
    t.deepEqual(HostConfig.CapDrop, ["ALL"]);
    t.is(HostConfig.CapAdd, undefined);
    t.is(HostConfig.Privileged, undefined);
    t.true(HostConfig.ReadonlyRootfs);
    t.true((HostConfig.SecurityOpt as string[]).includes("no-new-privileges:true"));
    t.false(JSON.stringify(body).includes("docker.sock"));
  }
});

test("the agent is in the gate's namespaces, as the user, under its limits", (t) => {
  const { User, Env, HostConfig } = agentBody(agent, "gate-id") as Body;
  t.is(User, "1000:1001");
  t.true(Env.includes("TOKEN=s3cret"));
  t.deepEqual(
    [HostConfig.NetworkMode, HostConfig.PidMode],
    ["container:gate-id", "container:gate-id"],
  );
  t.deepEqual([HostConfig.Memory, HostConfig.MemorySwap, HostConfig.PidsLimit], [64, 64, 7]);
  t.deepEqual(HostConfig.Mounts, [
    { Type: "bind", Source: "/usr", Target: "/usr", ReadOnly: true },
    { Type: "bind", Source: "/home/me", Target: "/home/me", ReadOnly: false },
    {
      ...{ Type: "volume", Target: "/home/you" },
      VolumeOptions: {
        NoCopy: true,
        DriverConfig: {
          Name: "local",
          Options: { type: "overlay", device: "overlay", o: "lowerdir=/run/a:/home/you" },
        },
      },
    },
  ]);
  t.deepEqual(HostConfig.Tmpfs, { "/tmp": "rw,mode=1777" });
});

test("containers are removed automatically unless they are kept", (t) => {
  const removed = (keep: boolean) =>
    [gateBody({ ...gate, keep }, "net"), agentBody({ ...agent, keep }, "gate")].map(
      (body) => (body as Body).HostConfig.AutoRemove,
    );
  t.deepEqual(
    [removed(false), removed(true)],
    [
      [true, true],
      [false, false],
    ],
  );
});

test("the compose file describes the containers without secrets", (t) => {
  const image = { name: "r/agent:1", source: "local" } as const;
  const text = composeFile({ project: "awf-1", gate, agent, image });
  t.false(text.includes("s3cret"));
  const { name, services, networks } = parse(text);
  t.is(name, "awf-1");
  t.deepEqual(networks, { "awf-net": { name: "awf-net", driver: "bridge", internal: true } });
  t.deepEqual(services.gate.networks, ["awf-net"]);
  t.is(services.gate.hostname, "here");
  t.deepEqual(
    [services.agent.network_mode, services.agent.pid, services.agent.depends_on],
    ["service:gate", "service:gate", ["gate"]],
  );
  t.deepEqual(services.agent.environment, [
    "HOME=/home/me",
    "HTTP_PROXY=http://127.0.0.1:3128",
    "TOKEN",
    "https_proxy",
  ]);
  t.deepEqual(services.agent.entrypoint, ["bash", "-c", "echo $$HOME"]);
  t.deepEqual(services.agent.volumes, [
    { type: "bind", source: "/usr", target: "/usr", read_only: true },
    { type: "bind", source: "/home/me", target: "/home/me", read_only: false },
    { type: "volume", source: "home-0", target: "/home/you" },
  ]);
  t.deepEqual(services.agent.tmpfs, ["/tmp:rw,mode=1777"]);
  t.deepEqual(
    [services.agent.cap_drop, services.agent.read_only, services.agent.pull_policy],
    [["ALL"], true, "never"],
  );
});

test("the compose file builds the image that the run built", (t) => {
  const image = { name: "awf-agent:x", source: "build", base: "ubuntu:24.04" } as const;
  const { services } = parse(composeFile({ project: "awf-1", gate, agent, image }));
  t.deepEqual(services.agent.build, { context: "./agent", args: { BASE_IMAGE: "ubuntu:24.04" } });
});

const request: ImageRequest = {
  agentImage: "default",
  registry: "registry.test/awf",
  tag: "latest",
  build: false,
  pull: true,
};
const digest = `@sha256:${"a".repeat(64)}`;
const images: ReadonlyArray<
  readonly [request: Partial<ImageRequest>, name: string, source: string, base?: string]
> = [
  [{}, "registry.test/awf/agent:latest", "registry"],
  [{ agentImage: "act", tag: "0.18.0" }, "registry.test/awf/agent-act:0.18.0", "registry"],
  [{ registry: "registry.test/", pull: false }, "registry.test/agent:latest", "local"],
  [{ build: true }, "awf-agent:ubuntu-22.04", "build", "ubuntu:22.04"],
  [
    { build: true, agentImage: "act" },
    "awf-agent:ghcr.io-catthehacker-ubuntu-act-22.04",
    "build",
    "ghcr.io/catthehacker/ubuntu:act-22.04",
  ],
  [{ build: true, agentImage: "ubuntu:24.04" }, "awf-agent:ubuntu-24.04", "build", "ubuntu:24.04"],
  [
    { build: true, agentImage: `ubuntu:24.04${digest}` },
    `awf-agent:ubuntu-24.04-sha256-${"a".repeat(64)}`,
    "build",
    `ubuntu:24.04${digest}`,
  ],
];
for (const [options, name, source, base] of images) {
  test(`the image for ${JSON.stringify(options)} is ${name}`, (t) => {
    t.deepEqual(planImage({ ...request, ...options }), {
      name,
      source,
      ...(base === undefined ? {} : { base }),
    } as ReturnType<typeof planImage>);
  });
}
