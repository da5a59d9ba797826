/** What can be done by name. */
import { screens } from "../screens/all.js";
import { type Action, bindingsOn } from "./keys.js";
import type { ScreenId, Ui } from "./ui.js";

export interface PaletteEntry {
  readonly name: string;
  readonly about: string;
  readonly does: { readonly screen: ScreenId } | { readonly action: Action };
}

const ACTIONS: readonly Action[] = ["pause", "sort", "reverse", "help", "quit"];
const ELSEWHERE: ReadonlyMap<Action, ScreenId> = new Map([
  ["plan", "config"],
  ["reload", "config"],
  ["rollback", "config"],
  ["restart", "plugins"],
  ["release", "plugins"],
  ["replay", "hooks"],
  ["cancel", "hooks"],
]);

/** Those whose name or purpose has the text in it; names that begin with it come first. */
export function paletteEntries({ readOnly }: Ui, text: string): readonly PaletteEntry[] {
  const wanted = text.trim().toLowerCase();
  const all: readonly PaletteEntry[] = [
    ...screens.map(({ id, about }) => ({ name: id, about, does: { screen: id } })),
    ...[...ELSEWHERE, ...ACTIONS.map((action) => [action, "overview"] as const)].flatMap(
      ([action, screen]) => {
        const binding = bindingsOn(screen, readOnly).find((each) => each.action === action);
        return binding ? [{ name: action, about: binding.does, does: { action } }] : [];
      },
    ),
  ];
  const rank = ({ name }: PaletteEntry) =>
    name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  return all
    .filter((entry) => rank(entry) < 2 || entry.about.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a) - rank(b));
}

/** The screen on which an action makes sense. */
export const homeOf = (action: Action): ScreenId | undefined => ELSEWHERE.get(action);
