/** `reeve service status`: the unit as systemd has it, and whether it runs this Reeve. */
import { readFileSync } from "node:fs";
import { defineCommand, json } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { writePairs } from "../../print/layout.js";
import { serviceManager, unitName, unitState, userOption } from "./manager.js";

export const command = defineCommand({
  options: { user: userOption, json },
  examples: [
    { command: "reeve service status", does: "shows the system service" },
    { command: "reeve service status --user", does: "shows the service of the present user" },
  ],
  exits: {
    [Exit.findings]: "the service does not run",
    [Exit.noInput]: "no service is installed",
  },
  async run({ options: { user, json }, output }) {
    const manager = serviceManager(user);
    const state = unitState(manager);
    if (state === undefined) {
      output.err.line(`${unitName} is not installed; \`reeve service install\` does that.`);
      return Exit.noInput;
    }
    const command = commandOf(state.path);
    if (json) output.json({ unit: unitName, ...state, command });
    else {
      const { active, enabled, pid, status, path } = state;
      writePairs(output.out, [
        ["unit", path],
        ["state", `${active}${status === "" ? "" : `: ${status}`}`],
        ["at boot", enabled],
        ...(pid > 0 ? [["process", String(pid)] as const] : []),
        ...(command === undefined ? [] : [["command", command] as const]),
      ]);
    }
    return state.active === "active" || state.active === "reloading" ? Exit.ok : Exit.findings;
  },
});

function commandOf(unit: string): string | undefined {
  try {
    return /^ExecStart=(.*)$/m.exec(readFileSync(unit, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
