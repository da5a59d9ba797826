/** The settings of a run as `--log-level debug` prints them: without values of variables and without secrets. */
import type { AwfSettings } from "./settings.js";

const HIDDEN = "***REDACTED***";

/** Replaces tokens in headers, values of variables with secret names, GitHub tokens and credentials in URLs. */
export function redacted(command: string): string {
  return command
    .replace(/\b(authorization\s*:\s*(?:\w+\s+)?|bearer\s+)[^\s"']+/gi, `$1${HIDDEN}`)
    .replace(
      /\b(\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH)\w*\s*=\s*)("[^"]*"|'[^']*'|[^\s"']+)/gi,
      `$1${HIDDEN}`,
    )
    .replace(/\bgh[pousr]_\w+/g, HIDDEN)
    .replace(/(:\/\/)[^\s/@"']+@/g, `$1${HIDDEN}@`);
}

export function shownSettings(
  { spec, engine, logLevel }: AwfSettings,
  command: readonly string[],
): string {
  const { credentials, limits, denySecrets, denyRead, denyWrite } = spec;
  const { policy, dns, hostPorts, volumes, allowWrite, timeoutMs, memoryBytes, processes } = spec;
  return JSON.stringify(
    {
      allowedDomains: policy.allow.patterns.map(({ text }) => text),
      blockedDomains: policy.block.patterns.map(({ text }) => text),
      agentCommand: redacted(command.join(" ")),
      engine,
      logLevel,
      dnsServers: dns.servers,
      hostPorts,
      credentials: credentials.map(({ name, destinations }) => ({ name, destinations })),
      limits,
      denySecrets,
      volumes: volumes.length,
      allowWrite,
      denyRead,
      denyWrite,
      timeoutMs,
      memoryBytes,
      processes,
    },
    undefined,
    2,
  );
}
