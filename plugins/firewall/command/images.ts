/** Options of the Docker engine: their own rules are checked, then the engine itself is asked for. */
import { FirewallError } from "../errors.js";
import type { WrittenOptions } from "./options.js";

const presets = ["default", "act"];
const digest = "(?:@sha256:[0-9a-f]{64})?";
const baseImages = [
  new RegExp(`^ubuntu:\\d{2}\\.\\d{2}${digest}$`),
  new RegExp(`^[a-z0-9.-]+(?:/[a-z0-9._-]+)*/ubuntu:(?:runner|full|act)-\\d{2}\\.\\d{2}${digest}$`),
];

/** @throws {FirewallError} for a combination or an image that is not allowed, and for every option that needs images. */
export function refuseImageOptions(options: WrittenOptions): void {
  if (options.skipPull && options.buildLocal) {
    throw invalid(
      "❌ --skip-pull cannot be used with --build-local. Building images requires pulling base images from the registry.",
    );
  }
  refuseImage(options);
  const given = [
    options.buildLocal && "--build-local",
    options.skipPull && "--skip-pull",
    options.imageRegistry !== undefined && "--image-registry",
    options.imageTag !== undefined && options.imageTag !== "latest" && "--image-tag",
    options.agentImage !== undefined && options.agentImage !== "default" && "--agent-image",
  ].filter((name) => typeof name === "string");
  if (given.length > 0) {
    throw invalid(
      `The Docker engine that ${given.join(", ")} needs is not built in yet; leave it out to use the native engine`,
    );
  }
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
