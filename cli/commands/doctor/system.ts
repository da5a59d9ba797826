/** What this host is: its Node, its service manager. */
import { existsSync } from "node:fs";
import { type HostFinding, ok, warn } from "./finding.js";

/** Node 24 and 26 are maintained for years; a release with an odd number only until the next one is there. */
export function node(version: string): HostFinding {
  const [major = 0] = version.split(".").map(Number);
  if (major % 2 === 0 || major > 26) return ok("node", `Node ${version}`);
  return warn(
    "node",
    `Node ${version} is not maintained for long`,
    `Use Node ${major - 1} or ${major + 1}.`,
  );
}

/** `booted` is the directory that exists where systemd runs the host. */
export function systemd(booted = "/run/systemd/system"): HostFinding {
  if (existsSync(booted)) return ok("systemd", "systemd runs this host");
  return warn(
    "systemd",
    "systemd does not run this host: the daemon does not start after a reboot",
    "Let another supervisor, or the container, run `reeve up` and start it again when it ends.",
  );
}
