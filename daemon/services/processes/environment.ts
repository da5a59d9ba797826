/** The environment a command inherits: the daemon's own, without what is not for it. */
import type { Secret } from "../../plugin-api/values.js";
import type { Mask } from "../mask.js";

/** How a service manager talks to the daemon, and to nobody else. */
const ownBusiness = new Set([
  "NOTIFY_SOCKET",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "LISTEN_PID",
  "CREDENTIALS_DIRECTORY",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);

/** `own` where `inherit`, with `added` over it; secrets are revealed here. */
export function environmentOf(
  own: NodeJS.ProcessEnv,
  mask: Mask,
  added: Readonly<Record<string, string | Secret>> = {},
  inherit = true,
): Record<string, string> {
  // Without a prototype: `__proto__` is a name like any other.
  const environment: Record<string, string> = Object.create(null);
  if (inherit) {
    for (const [name, value] of Object.entries(own)) {
      if (value === undefined || ownBusiness.has(name) || mask.has(value)) continue;
      environment[name] = value;
    }
  }
  for (const [name, value] of Object.entries(added)) {
    environment[name] = typeof value === "string" ? value : revealed(value, mask);
  }
  return environment;
}

/** What is handed out is masked from then on. */
export function revealed(secret: Secret, mask: Mask): string {
  const content = secret.reveal();
  mask.add(content);
  return content;
}
