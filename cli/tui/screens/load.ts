/** Loads the screens of the dashboard, those of plugins among them. */
import type { Status } from "../../../daemon/http/control/api.js";
import type { Screens } from "../../plugin-api/screen.js";
import { builtInPlugins, type CliPlugin, screensOf } from "../../program/plugins.js";
import { screensWith } from "./all.js";

/** `status`: of the daemon whose declared plugins bring screens, too. */
export async function loadScreens(status?: Status): Promise<Screens> {
  const [builtIn, declared] = await Promise.all(
    [builtInPlugins, await declaredIn(status)].map((plugins) =>
      Promise.all(plugins.map(screensOf)),
    ),
  );
  return screensWith(builtIn?.flat() ?? [], declared?.flat() ?? []);
}

/** The configuration is read only where a plugin runs that is not built in. */
async function declaredIn(status: Status | undefined): Promise<readonly CliPlugin[]> {
  const isBuiltIn = (id: string) => builtInPlugins.some((plugin) => plugin.id === id);
  if (!status || status.plugins.every(({ id }) => isBuiltIn(id))) return [];
  const { declaredPlugins } = await import("../../program/declared-plugins.js");
  return declaredPlugins(status.root);
}
