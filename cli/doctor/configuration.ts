/** Whether the configuration on disk would be accepted. */
import { existsSync } from "node:fs";
import { loadConfiguration, shownPath } from "../configuration.js";
import { count } from "../show/units.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** `named`: a person asked for this very file. */
export async function configuration(root: string, named: boolean): Promise<Finding> {
  const where = shownPath(root);
  if (!existsSync(root)) {
    const found = named ? fail : warn;
    return found(
      "configuration",
      `there is no \`${where}\``,
      "Write a first one with `reeve init`, or name the root file: `reeve doctor FILE`.",
    );
  }
  const { diagnostics, program } = await loadConfiguration(root);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    return fail(
      "configuration",
      `${where} has ${count(errors, "error")}`,
      `See \`reeve check ${where}\`.`,
    );
  }
  const blocks = count(program?.blocks.size ?? 0, "block");
  const warnings = diagnostics.length === 0 ? "" : `, and ${count(diagnostics.length, "remark")}`;
  return ok("configuration", `${where} is valid: ${blocks}${warnings}`);
}
