/** What the machine lacks of what the running configuration needs, as conditions. */
import { cpuUsage } from "node:process";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { blockAt } from "../config/plugin-reports.js";
import type { HostProbe, Program } from "../config/program.js";
import { validateProgram } from "../config/validate.js";
import { errorMessage } from "../errors.js";
import type { Clock } from "../plugin-api/context.js";
import { steady } from "../services/clock.js";
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

/** Of the processor: thousands of blocks are examined less often than a few. */
const SHARE = 0.005;
/** Milliseconds without an examination. */
const AT_MOST = 60_000;

/** Repeats the examination, so that it costs no more than its share of the processor. */
export class ExaminationPace {
  #due = Number.NEGATIVE_INFINITY;

  /** Unless the one before was too short a time ago for what it cost. `spent`: milliseconds of the processor until now. */
  async again(clock: Clock, examine: () => Promise<void>, spent = processorTime): Promise<void> {
    const time = steady(clock);
    if (time.now() < this.#due) return;
    const before = spent();
    await examine();
    this.#due = time.now() + Math.min((spent() - before) / SHARE, AT_MOST);
  }
}

function processorTime(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}

function conditionOf({ code, message, location }: Diagnostic, program: Program): ConditionFinding {
  const block = location && blockAt(location, program.blocks.values());
  const reason = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return { code, reason, ...(block && { subject: block.key }), isUnready: false };
}
