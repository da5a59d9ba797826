/** Screens and actions by name. */
import type { ScreenId, Screens } from "../../plugin-api/screen.js";
import { keysOn } from "./keys.js";
import type { Ui } from "./ui.js";

export interface PaletteEntry {
  readonly name: string;
  readonly about: string;
  readonly does: { readonly screen: ScreenId } | { readonly action: string };
}

const SHARED = ["find", "pause", "theme", "sort", "reverse", "help", "quit"];

/** Entries with the text in their name or purpose; names that begin with it come first. */
export function paletteEntries(
  { readOnly }: Ui,
  text: string,
  screens: Screens,
): readonly PaletteEntry[] {
  const wanted = text.trim().toLowerCase();
  const named = ({ action, does }: { readonly action: string; readonly does: string }) => ({
    ...{ name: action, about: does, does: { action } },
  });
  const shared = keysOn(screens[0], readOnly);
  const all: readonly PaletteEntry[] = [
    ...screens.map(({ id, about }) => ({ name: id, about, does: { screen: id } })),
    ...screens
      .toReversed()
      .flatMap(({ keys = [] }) => keys)
      .filter(({ changes }) => !(readOnly && changes))
      .map(named),
    ...SHARED.flatMap((action) => shared.filter((key) => key.action === action)).map(named),
  ];
  const rank = ({ name }: PaletteEntry) =>
    name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  return all
    .filter((entry) => rank(entry) < 2 || entry.about.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a) - rank(b));
}

/** The screen that has a key of its own for an action. */
export const homeOf = (action: string, screens: Screens): ScreenId | undefined =>
  screens.find((screen) => screen.keys?.some((key) => key.action === action))?.id;
