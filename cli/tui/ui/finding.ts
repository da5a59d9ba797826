/** Keys while something is looked for by its name. */
import { screenOf, viewOf } from "../screens/all.js";
import { type FindContext, type FindHit, findHits } from "./find.js";
import { editedText, type Typed } from "./typed.js";
import { type Mode, stateOf, type Ui, withState } from "./ui.js";

type Finding = Extract<Mode, { readonly kind: "find" }>;

const STEPS: Readonly<Partial<Record<string, number>>> = {
  ...{ "↓": 1, Tab: 1, "ctrl+n": 1, "↑": -1, "Shift+Tab": -1, "ctrl+p": -1 },
};

export function finding(ui: Ui, mode: Finding, key: string, context: FindContext): Typed {
  const browsing: Ui = { ...ui, mode: { kind: "browse" } };
  if (key === "Esc" || (key === "Backspace" && mode.text === "")) return { ui: browsing };
  const step = STEPS[key];
  if (key !== "Enter" && step === undefined) {
    return { ui: { ...ui, mode: { kind: "find", text: editedText(mode.text, key), chosen: 0 } } };
  }
  const hits = findHits(ui, mode.text, context);
  if (step !== undefined) {
    const chosen = hits.length === 0 ? 0 : (mode.chosen + step + hits.length) % hits.length;
    return { ui: { ...ui, mode: { ...mode, chosen } } };
  }
  const hit = hits[Math.min(mode.chosen, hits.length - 1)];
  if (hit !== undefined) return openHit(browsing, hit, context);
  const text = `There is nothing called \`${mode.text}\`.`;
  return { ui: { ...browsing, notice: { text, bad: true } } };
}

/** Shows its screen with it chosen, and opens it where opening shows it and does not lead elsewhere. */
function openHit(ui: Ui, { opens }: FindHit, context: FindContext): Typed {
  if ("action" in opens) return { ui, action: opens.action };
  const screen = screenOf(context.screens, opens.screen);
  const { open: _, sort: __, selected: ___, ...before } = stateOf({ ...ui, screen: opens.screen });
  const clean: Ui = {
    ...{ ...ui, screen: opens.screen },
    screens: { ...ui.screens, [opens.screen]: { ...before, reverse: false, scroll: 0 } },
  };
  const there = withState(clean, opens.state);
  const { row } = opens;
  if (row === undefined || !screen.detail) return { ui: there };
  const view = viewOf(context, screen, stateOf(there));
  if (screen.enter?.(view, row)) return { ui: there };
  return { ui: withState(there, { open: row }) };
}
