/** What commands that open the dashboard have in common. Loads nothing that draws. */
import { type Argument, count, flag, text } from "../plugin-api/command.js";
import type { ScreenId } from "../plugin-api/screen.js";
import { builtInPlugins } from "../program/plugins.js";
import { THEME_NAMES } from "./view/themes.js";

const screens: readonly ScreenId[] = [
  "overview",
  ...builtInPlugins.flatMap(({ manifest }) => manifest.screens ?? []),
  ...["plugins", "config", "logs"],
];

export const screenArgument: Argument = {
  name: "SCREEN",
  summary: "where to begin",
  choices: screens,
};

export const screenNamed = ([named]: readonly string[]): ScreenId | undefined =>
  screens.find((screen) => screen === named);

export const themeOptions = {
  interval: count("SECONDS", "how often to look (default: 1)", { fallback: 1 }),
  readOnly: flag("without any key that changes something"),
  theme: text("NAME", `the colours: ${THEME_NAMES.join(", ")}, or a file of the user`, {
    fallback: "auto",
  }),
  noBackground: flag("keep the background of the terminal"),
  noMouse: flag("leave the mouse to the terminal, to select text with it"),
  ascii: flag("draw with ASCII only (default: unless the locale is UTF-8)"),
};
