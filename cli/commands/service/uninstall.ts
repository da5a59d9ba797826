/** `reeve service uninstall`: stops the service and removes what `install` wrote. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { directoriesFor } from "../../../daemon/main/directories.js";
import { defineCommand, flag } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import type { Output } from "../../plugin-api/output.js";
import { type ServiceManager, serviceManager, unitName, unitState, userOption } from "./manager.js";
import { rootIn } from "./unit.js";

export const command = defineCommand({
  description:
    "The configuration, the state and the user `reeve` stay. With --purge, the state and the cache go.",
  options: {
    user: userOption,
    purge: flag("delete the state and cache directories of the service"),
  },
  examples: [
    { command: "reeve service uninstall", does: "removes the system service" },
    { command: "reeve service uninstall --purge", does: "removes its state, too" },
  ],
  exits: {
    [Exit.noInput]: "no service is installed",
    [Exit.unavailable]: "root or systemd is missing, or the service belongs to a package",
  },
  async run({ options: { user, purge }, output }) {
    const manager = serviceManager(user);
    const state = unitState(manager);
    if (state === undefined && !existsSync(manager.unit)) {
      throw new Failure(Exit.noInput, `${unitName} is not installed`);
    }
    if (state !== undefined && state.path !== "" && state.path !== manager.unit) {
      throw new Failure(Exit.unavailable, `${unitName} belongs to a package: ${state.path}`, {
        help: "Remove the package with the package manager of the system.",
      });
    }
    if (!user && process.getuid?.() !== 0) {
      throw new Failure(Exit.unavailable, "only root can remove a system service");
    }
    manager.systemctl("disable", "--now", unitName);
    if (purge) removeState(manager, output);
    rmSync(manager.unit, { force: true });
    manager.systemctl("daemon-reload");
    output.out.line(`Removed ${manager.unit}.`);
    return Exit.ok;
  },
});

function removeState({ isUser, unit, systemctl }: ServiceManager, output: Output): void {
  if (!isUser) {
    systemctl("clean", "--what=state", "--what=cache", unitName);
    output.out.line("Deleted /var/lib/reeve and /var/cache/reeve.");
    return;
  }
  const root = rootIn(readFileSync(unit, "utf8"));
  if (root === undefined) return;
  const { state, cache } = directoriesFor({ root });
  for (const directory of [state, cache]) {
    rmSync(directory, { recursive: true, force: true });
    output.out.line(`Deleted ${directory}.`);
  }
}
