/** A configuration checked for this machine; by the daemon itself, if it runs this configuration. */
import { realpathSync } from "node:fs";
import type { Loaded } from "../../daemon/config/program.js";
import type { Findings } from "../../daemon/http/control/api.js";
import type { Diagnostic } from "../../grammar/index.js";
import { connect } from "../control/client.js";
import { fromJson } from "../control/findings.js";
import { ControlError, isConfigurationProblem } from "../control/problem.js";
import { flag, text } from "../plugin-api/command.js";
import { renamed } from "../print/rename.js";
import { loadConfiguration, nameFrom } from "./load.js";

export const hostOptions = {
  host: flag(
    "findings about this machine are as severe as for the daemon (default: where it runs)",
  ),
  control: text("PATH", "the socket of the daemon to ask"),
};

export interface HostCheck {
  readonly host: boolean;
  readonly control: string | undefined;
  readonly overlay?: ReadonlyMap<string, string>;
}

/**
 * Findings about the machine (a missing program, an unset secret, a taken port) are warnings. With `host`, or where the
 * daemon runs this configuration, they are as severe as in `reeve up`: its environment and its addresses count then.
 */
export async function checkConfiguration(
  root: string,
  { host, control, overlay = new Map() }: HostCheck,
): Promise<Loaded> {
  const daemon = await findingsOfDaemon(root, control);
  const { hostProbe } = await import("../../daemon/host/probe.js");
  const probe = hostProbe({ environment: process.env, lenient: !host && !daemon });
  const loaded = await loadConfiguration(root, { overlay, host: probe });
  if (!daemon || overlay.size > 0) return loaded;
  const own = loaded.diagnostics.filter((each) => !each.host);
  const isValid = !own.some((each) => each.severity === "error");
  const diagnostics = isValid ? [...own, ...daemon] : own;
  const failed = diagnostics.some((each) => each.severity === "error");
  return { ...loaded, diagnostics, program: failed ? undefined : loaded.program };
}

/** Of the machine only; `undefined` if no daemon runs this configuration. */
async function findingsOfDaemon(
  root: string,
  control: string | undefined,
): Promise<readonly Diagnostic[] | undefined> {
  const daemon = connect({ control, deadline: 2_000 });
  try {
    if (!isSameFile(root, (await daemon.status()).root)) return undefined;
    const { diagnostics } = await daemon.plan().catch((thrown: unknown): Findings => {
      if (thrown instanceof ControlError && isConfigurationProblem(thrown.problem))
        return thrown.problem;
      throw thrown;
    });
    const own = diagnostics.filter(({ host }) => host).map(fromJson);
    const nothing = { sources: new Map(), tests: [] };
    return renamed({ ...nothing, diagnostics: own }, nameFrom(root)).diagnostics;
  } catch {
    return undefined;
  }
}

export function isSameFile(one: string, other: string): boolean {
  try {
    return one === other || realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
