/** Every screen, in the order of its number. */
import type { ScreenId } from "../ui/ui.js";
import { config } from "./config.js";
import { firewall } from "./firewall.js";
import { hooks } from "./hooks.js";
import { logs } from "./logs.js";
import { overview } from "./overview.js";
import { plugins } from "./plugins.js";
import type { Screen } from "./screen.js";
import { settings } from "./settings.js";
import { updates } from "./updates.js";

export const screens: readonly [Screen, ...Screen[]] = [
  overview,
  hooks,
  updates,
  firewall,
  settings,
  plugins,
  config,
  logs,
];

export const screenIds: readonly ScreenId[] = screens.map(({ id }) => id);

export function screenOf(id: ScreenId): Screen {
  return screens.find((screen) => screen.id === id) ?? screens[0];
}
