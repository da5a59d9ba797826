/** `-v host:container[:mode]`, checked before anything starts. */
import { existsSync, realpathSync } from "node:fs";
import { normalize } from "node:path";
import type { Volume } from "../engine/mounts.js";
import { FirewallError } from "../errors.js";

/** @throws {FirewallError} `invalid_mount`, two lines. */
export function readVolume(text: string): Volume {
  const parts = text.split(":");
  const [host = "", sandbox = "", mode = "rw"] = parts;
  const reason =
    parts.length < 2 || parts.length > 3
      ? "Mount must be in format host_path:container_path[:mode]"
      : reasonAgainst(host, sandbox, mode);
  if (reason !== undefined) {
    throw new FirewallError("invalid_mount", `Invalid volume mount: ${text}\nReason: ${reason}`);
  }
  return {
    host: realpathSync(host),
    sandbox: withoutSlash(normalize(sandbox)),
    mode: mode as "ro" | "rw",
  };
}

function reasonAgainst(host: string, sandbox: string, mode: string): string | undefined {
  if (host === "") return "Host path cannot be empty";
  if (sandbox === "") return "Container path cannot be empty";
  if (!host.startsWith("/")) return "Host path must be absolute (start with /)";
  if (!sandbox.startsWith("/")) return "Container path must be absolute (start with /)";
  if (mode !== "ro" && mode !== "rw") return 'Mount mode must be either "ro" or "rw"';
  if (!existsSync(host)) return `Host path does not exist: ${host}`;
  if (["/", "/proc", "/dev", "/sys"].includes(withoutSlash(normalize(sandbox)) || "/")) {
    return `Container path ${sandbox} belongs to the sandbox itself`;
  }
  return undefined;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
