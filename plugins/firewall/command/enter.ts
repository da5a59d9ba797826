/** The first step of a run. It takes a while in another process, so it begins before the rest of awf is even loaded. */
import { enterNamespace, type Namespace } from "../engine/namespace.js";
import { installCommand, missingPackages } from "../engine/requirements.js";
import { FirewallError } from "../errors.js";
import type { Settings } from "./settings.js";

export const proxyPort = 3128;
/** The host's alias leads here inside; from a range that no network routes. */
export const hostAddress = "192.0.2.1";
/** Docker's embedded resolver, which images expect to exist. */
const embeddedResolver = "127.0.0.11";

/** @throws {FirewallError} `missing_programs` */
export function enter({ dns, hostPorts }: Settings): Promise<Namespace> {
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new FirewallError(
      "missing_programs",
      `awf needs ${missing.join(" and ")}, which this system lacks. Run: ${installCommand(missing)}`,
    );
  }
  const dnsServers = [...new Set([...dns.servers, embeddedResolver])];
  const entering = enterNamespace(
    { proxyPort, dnsServers, hostPorts: hostPorts ?? [], hostAddress },
    ["inherit", "inherit", "inherit"],
  );
  // Whoever waits for it hears of a failure; until then it must not end awf.
  entering.catch(() => {});
  return entering;
}

/** Gives it up, whether it was entered or not. */
export async function leave(entering: Promise<Namespace>): Promise<void> {
  const namespace = await entering.catch(() => undefined);
  await namespace?.[Symbol.asyncDispose]();
}
