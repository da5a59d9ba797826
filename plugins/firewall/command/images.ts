/** Chooses the engine and reads the image options, which only Docker has. */
import { hasEngine } from "../engine/docker/endpoint.js";
import type { ImageRequest } from "../engine/docker/images.js";
import { FirewallError } from "../errors.js";
import type { WrittenOptions } from "./options.js";

const defaultRegistry = "ghcr.io/github/gh-aw-firewall";
const defaultTag = "latest";

const presets = ["default", "act"];
const digest = "(?:@sha256:[0-9a-f]{64})?";
const baseImages = [
  new RegExp(`^ubuntu:\\d{2}\\.\\d{2}${digest}$`),
  new RegExp(`^[a-z0-9.-]+(?:/[a-z0-9._-]+)*/ubuntu:(?:runner|full|act)-\\d{2}\\.\\d{2}${digest}$`),
];

export type EngineName = "native" | "docker";
const engines: readonly EngineName[] = ["native", "docker"];

/**
 * The Docker engine on request, or if an option needs images; otherwise the native engine.
 * @throws {FirewallError} `invalid_image_options`
 */
export function chooseEngine(options: WrittenOptions): EngineName {
  if (options.skipPull && options.buildLocal) {
    throw invalid(
      "❌ --skip-pull cannot be used with --build-local. Building images requires pulling base images from the registry.",
    );
  }
  refuseImage(options);
  const chosen = engines.find((engine) => engine === options.engine);
  if (options.engine !== undefined && chosen === undefined) {
    throw invalid(`Invalid engine: ${options.engine}. Must be one of: ${engines.join(", ")}`);
  }
  const forImages = imageOptions(options);
  if (chosen === "native" && forImages.length > 0) {
    throw invalid(
      `${forImages.join(", ")} needs containers; use --engine docker, or leave it out to use the native engine`,
    );
  }
  if (chosen !== undefined) return chosen;
  // Either engine can keep files; only the Docker engine, where there is one, can keep containers.
  const keeps = options.keepContainers === true && hasEngine();
  return forImages.length > 0 || keeps ? "docker" : "native";
}

/** The image options that differ from their defaults. */
function imageOptions(options: WrittenOptions): string[] {
  return [
    options.buildLocal && "--build-local",
    options.skipPull && "--skip-pull",
    options.imageRegistry !== undefined && "--image-registry",
    options.imageTag !== undefined && options.imageTag !== defaultTag && "--image-tag",
    options.agentImage !== undefined && options.agentImage !== "default" && "--agent-image",
  ].filter((name) => typeof name === "string");
}

export function imageRequest(options: WrittenOptions): ImageRequest {
  return {
    agentImage: options.agentImage ?? "default",
    registry: options.imageRegistry ?? defaultRegistry,
    tag: options.imageTag ?? defaultTag,
    build: options.buildLocal === true,
    pull: options.skipPull !== true,
  };
}

function refuseImage({ agentImage, buildLocal }: WrittenOptions): void {
  if (agentImage === undefined || presets.includes(agentImage)) return;
  if (!baseImages.some((pattern) => pattern.test(agentImage))) {
    throw invalid(
      [
        `Invalid agent image: "${agentImage}". For security, only approved images are allowed:`,
        "",
        "  Presets (pre-built):",
        "    default, act",
        "",
        "  Base images (with --build-local):",
        "    ubuntu:XX.XX",
        "    <registry>/ubuntu:runner-XX.XX",
        "    <registry>/ubuntu:full-XX.XX",
        "    <registry>/ubuntu:act-XX.XX",
        "",
        "  Use @sha256:... suffix for digest-pinned versions.",
      ].join("\n"),
    );
  }
  if (!buildLocal) {
    throw invalid(
      `❌ Custom agent images require --build-local flag\n   Example: awf --build-local --agent-image ${agentImage} -- <command>`,
    );
  }
}

function invalid(message: string): FirewallError {
  return new FirewallError("invalid_image_options", message);
}
