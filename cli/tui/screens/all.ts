/** The screens of the dashboard: those of `reeve` itself, and those that plugins bring. */
import type { Screen, ScreenId, ScreenState, Screens, View } from "../../plugin-api/screen.js";
import { config } from "./config.js";
import { logs } from "./logs.js";
import { overview } from "./overview.js";
import { plugins } from "./plugins.js";

/** In the order of their numbers: built-in plugins stand behind the overview, declared ones at the end. */
export const screensWith = (builtIn: readonly Screen[], declared: readonly Screen[]): Screens => [
  overview,
  ...builtIn,
  plugins,
  config,
  logs,
  ...declared,
];

/** The screen of that id; the first where there is none. */
export const screenOf = (screens: Screens, id: ScreenId): Screen =>
  screens.find((screen) => screen.id === id) ?? screens[0];

export const viewOf = (
  context: Omit<View, "state" | "data">,
  { id }: Screen,
  state: ScreenState,
): View => ({ ...context, state, data: context.model.data[id] });
