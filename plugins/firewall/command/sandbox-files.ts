/** The files of its own that a sandbox has in `/etc`. */
import { readFileSync } from "node:fs";
import type { Policy } from "../policy/policy.js";

/** The sandbox's `/etc/hosts`: itself, the host's entries for allowed names, the host's alias. */
export function hostsFile(
  policy: Policy,
  hostname: string,
  alias?: { name: string; address: string },
): string {
  const lines = [
    "127.0.0.1 localhost",
    "::1 localhost ip6-localhost ip6-loopback",
    `127.0.0.1 ${hostname}`,
  ];
  for (const line of hostLines()) {
    const [address, ...names] = line.split(/\s+/);
    const allowed = names.filter((name) => policy.decideLookup(name).allowed);
    if (allowed.length > 0) lines.push(`${address} ${allowed.join(" ")}`);
  }
  if (alias) lines.push(`${alias.address} ${alias.name}`);
  return `${lines.join("\n")}\n`;
}

/** The sandbox's `/etc/resolv.conf`. C libraries read three servers. */
export function resolverFile(servers: readonly string[]): string {
  return `${servers
    .slice(0, 3)
    .map((server) => `nameserver ${server}\n`)
    .join("")}options ndots:0 timeout:3\n`;
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
