/** The command's own `/etc/hosts` and `/etc/resolv.conf`. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Policy } from "../policy/policy.js";
import { hostAddress, hostAlias } from "./spec.js";

/** Itself, the host's entries for allowed names, and the host's alias. */
export function hostsFile(policy: Policy, hostAccess: boolean): string {
  const lines = [
    "127.0.0.1 localhost",
    "::1 localhost ip6-localhost ip6-loopback",
    `127.0.0.1 ${hostname()}`,
  ];
  for (const line of hostLines()) {
    const [address, ...names] = line.split(/\s+/);
    const allowed = names.filter((name) => policy.decideLookup(name).allowed);
    if (allowed.length > 0) lines.push(`${address} ${allowed.join(" ")}`);
  }
  if (hostAccess) lines.push(`${hostAddress} ${hostAlias}`);
  return `${lines.join("\n")}\n`;
}

function hostLines(): string[] {
  try {
    return readFileSync("/etc/hosts", "utf8")
      .split("\n")
      .map((line) => line.replace(/#.*$/, "").trim())
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}

/** C libraries read at most three servers. */
export function resolverFile(servers: readonly string[]): string {
  const lines = servers.slice(0, 3).map((server) => `nameserver ${server}\n`);
  return `${lines.join("")}options ndots:0 timeout:3\n`;
}
