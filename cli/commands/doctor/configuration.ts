/** Whether the configuration on disk would be accepted. */
import { existsSync } from "node:fs";
import { countText } from "../../print/units.js";
import { shownPath } from "../../project/files.js";
import { loadConfiguration } from "../../project/load.js";
import { fail, type HostFinding, ok, warn } from "./finding.js";

/** `named`: a person asked for this very file. */
export async function configuration(root: string, named: boolean): Promise<HostFinding> {
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
      `${where} has ${countText(errors, "error")}`,
      `See \`reeve check ${where}\`.`,
    );
  }
  const blocks = countText(program?.blocks.size ?? 0, "block");
  const warnings =
    diagnostics.length === 0 ? "" : `, and ${countText(diagnostics.length, "remark")}`;
  return ok("configuration", `${where} is valid: ${blocks}${warnings}`);
}
