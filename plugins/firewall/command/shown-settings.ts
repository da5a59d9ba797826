/** What a run was asked for, as `--log-level debug` prints it: no values of variables, and nothing in the command that looks secret. */
import type { Settings } from "./settings.js";

const HIDDEN = "***REDACTED***";

/** Headers with tokens, values of names that stand for secrets, tokens by their look, credentials in addresses. */
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

export function shownSettings(settings: Settings, command: readonly string[]): string {
  const { policy, dns, engine, hostPorts, volumes, allowWrite, logLevel } = settings;
  const { timeoutMs, memoryBytes, processes } = settings;
  return JSON.stringify(
    {
      allowedDomains: policy.allow.patterns.map(({ text }) => text),
      blockedDomains: policy.block.patterns.map(({ text }) => text),
      agentCommand: redacted(command.join(" ")),
      engine,
      logLevel,
      dnsServers: dns.servers,
      hostPorts,
      volumes: volumes.length,
      allowWrite,
      timeoutMs,
      memoryBytes,
      processes,
    },
    undefined,
    2,
  );
}
