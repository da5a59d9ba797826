/** Chooses the containers' image and provides it on this machine. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FirewallError } from "../../errors.js";
import { type EngineApi, EngineRefusal } from "./api.js";
import { registryAuth, registryConfig } from "./registry-auth.js";

export interface ImageRequest {
  /** `default`, `act`, or a base image. */
  readonly agentImage: string;
  readonly registry: string;
  readonly tag: string;
  readonly build: boolean;
  readonly pull: boolean;
}

export interface ImagePlan {
  readonly name: string;
  /** Pulled if missing, taken as it is, or built from `base`. */
  readonly source: "registry" | "local" | "build";
  readonly base?: string;
}

const presets: Readonly<Record<string, { readonly name: string; readonly base: string }>> = {
  default: { name: "agent", base: "ubuntu:22.04" },
  act: { name: "agent-act", base: "ghcr.io/catthehacker/ubuntu:act-22.04" },
};

/** The host's files cover the image, which only has to contain a shell and `cat` for the gate. */
const dockerfile = `ARG BASE_IMAGE=ubuntu:22.04
FROM \${BASE_IMAGE}
LABEL dev.reeve.awf.image="agent"
`;

/** Decides by names only. */
export function planImage({ agentImage, registry, tag, build, pull }: ImageRequest): ImagePlan {
  const preset = presets[agentImage];
  if (build) {
    const base = preset?.base ?? agentImage;
    const suffix = base
      .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
      .slice(-128)
      .replace(/^[.-]+/, "");
    return { name: `awf-agent:${suffix}`, source: "build", base };
  }
  const name = `${registry.replace(/\/+$/, "")}/${preset?.name ?? agentImage}:${tag}`;
  return { name, source: pull ? "registry" : "local" };
}

/** @throws {FirewallError} `no_such_image`, `engine_refused`, `engine_unreachable` */
export async function provideImage(
  api: EngineApi,
  plan: ImagePlan,
  workDirectory: string,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  if (plan.source === "build") {
    say(`Building the image ${plan.name} from ${plan.base}...`);
    return build(api, plan, workDirectory, signal);
  }
  if (await isLocal(api, plan.name, signal)) return;
  if (plan.source === "local") {
    throw new FirewallError(
      "no_such_image",
      `The image ${plan.name} is not on this machine. Leave out --skip-pull to pull it, or use --build-local to build one`,
    );
  }
  say(`Pulling the image ${plan.name}...`);
  await api.follow(`/images/create?fromImage=${encodeURIComponent(plan.name)}`, {
    headers: { "x-registry-auth": await registryAuth(plan.name) },
    signal,
  });
}

async function isLocal(api: EngineApi, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.ask("GET", `/images/${encodeURIComponent(name)}/json`, { signal });
    return true;
  } catch (thrown) {
    if (thrown instanceof EngineRefusal && thrown.status === 404) return false;
    throw thrown;
  }
}

async function build(
  api: EngineApi,
  { name, base = "" }: ImagePlan,
  workDirectory: string,
  signal: AbortSignal,
): Promise<void> {
  const context = join(workDirectory, "agent");
  mkdirSync(context, { recursive: true });
  writeFileSync(join(context, "Dockerfile"), dockerfile);
  const query = new URLSearchParams({
    t: name,
    rm: "1",
    forcerm: "1",
    buildargs: JSON.stringify({ BASE_IMAGE: base }),
  });
  await api.follow(`/build?${query}`, {
    body: tarOf("Dockerfile", dockerfile),
    headers: {
      "content-type": "application/x-tar",
      "x-registry-config": await registryConfig(base),
    },
    signal,
  });
}

const block = 512;

/** A tar archive of one small text file, for an image build. @param name at most 100 bytes */
export function tarOf(name: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write("        ", 148);
  header.write("0ustar\u000000", 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((block - (content.length % block)) % block);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * block)]);
}
