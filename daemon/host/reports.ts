/** What the host says about a plugin while a generation is prepared. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { createDiagnostic } from "../config/diagnose.js";
import { contextOf } from "../config/plugin-reports.js";
import type { ProgramBlock } from "../config/program.js";
import { ConfiguredBlock } from "../config/values/block.js";
import { faultMessage } from "../plugin-fault.js";

/** About a plugin as a whole: the first of its blocks that changed stands for it. */
export function pluginDiagnostic(
  code: string,
  message: string,
  block: ProgramBlock | undefined,
  help?: string,
): Diagnostic {
  const location = block && new ConfiguredBlock(block).range;
  return { ...createDiagnostic(code, location, message, { help }), ...contextOf(block) };
}

/** "the plugin `x` cannot …: why", without a full stop. */
export const failureMessage = (what: string, thrown: unknown): string =>
  `${what}: ${faultMessage(thrown).replace(/\.$/, "")}`;
