/** What the machine lacks of what the running configuration needs, as conditions. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { blockAt } from "../config/plugin-reports.js";
import type { HostProbe, Program } from "../config/program.js";
import { validateProgram } from "../config/validate.js";
import { errorMessage } from "../errors.js";
import type { ConditionFinding, DaemonServices } from "../services/contract.js";
import type { PluginCode } from "./load-with-code.js";

/** An examination that fails is logged; what was found before stays. */
export async function reportLacks(
  program: Program,
  code: PluginCode | undefined,
  probe: HostProbe,
  { conditions, log }: Pick<DaemonServices, "conditions" | "log">,
): Promise<void> {
  try {
    const found = await validateProgram(program, [...(code?.values() ?? [])], probe);
    const lacks = found.filter(({ host }) => host);
    const findings = lacks.map((each) => conditionOf(each, program));
    conditions.report("configuration", findings);
  } catch (thrown) {
    log.warn("The machine could not be examined", { reason: errorMessage(thrown) });
  }
}

function conditionOf({ code, message, location }: Diagnostic, program: Program): ConditionFinding {
  const block = location && blockAt(location, program.blocks.values());
  const reason = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return { code, reason, ...(block && { subject: block.key }), isUnready: false };
}
