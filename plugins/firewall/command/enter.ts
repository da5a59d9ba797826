/** The first step of a run. It takes a while in another process, so it begins before the rest of awf is even loaded. */
import type { EnterPlan } from "../engine/enter.js";
import { beginNamespace, type Namespace, type PendingNamespace } from "../engine/namespace.js";
import { installCommand, missingPackages } from "../engine/requirements.js";
import { FirewallError } from "../errors.js";
import { embeddedResolver } from "../proxy/embedded-resolver.js";
import type { Settings } from "./settings.js";

export const proxyPort = 3128;
/** The host's alias leads here inside; from a range that no network routes. */
export const hostAddress = "192.0.2.1";

/** Options with which the other engine may be meant. */
const ofContainers = /^--(engine|agent-image|image-|build-local|skip-pull|keep-containers)/;

/** Begins, where the arguments look like a run and the system has what one needs. */
export function beginRun(argv: readonly string[]): PendingNamespace | undefined {
  const end = argv.indexOf("--");
  const answers = ["-h", "--help", "-V", "--version", "--explain"];
  if (end < 0 || end === argv.length - 1) return undefined;
  const options = argv.slice(0, end);
  if (options.some((word) => answers.includes(word) || ofContainers.test(word))) return undefined;
  return missingPackages().length === 0 ? begin() : undefined;
}

function begin(): PendingNamespace {
  return beginNamespace(["inherit", "inherit", "inherit"]);
}

/** Opens what was begun, or begins. @throws {FirewallError} `missing_programs`, `cannot_isolate` */
export async function enter(
  settings: Settings,
  started: PendingNamespace | undefined,
): Promise<{ namespace: Namespace; beginning: PendingNamespace }> {
  if (!started) refuseMissing(missingPackages());
  const beginning = started ?? begin();
  return { beginning, namespace: await beginning.open(enterPlan(settings)) };
}

/** Which sockets a run needs. */
export function enterPlan({ dns, hostPorts }: Settings): EnterPlan {
  const dnsServers = [...new Set([...dns.servers, embeddedResolver])];
  return { proxyPort, dnsServers, hostPorts: hostPorts ?? [], hostAddress };
}

/** @param missing Debian packages. @throws {FirewallError} `missing_programs` when there are any */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new FirewallError(
    "missing_programs",
    `awf needs ${missing.join(" and ")}, which this system lacks. Run: ${installCommand(missing)}`,
  );
}
