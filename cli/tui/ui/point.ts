/** What the mouse does: the same as keys, at the zone under it. */

import type { MouseEvent } from "../mouse.js";
import { screenOf, viewOf } from "../screens/all.js";
import { chosenIndex } from "./chosen.js";
import { type FrameContext, type Pressed, press } from "./press.js";
import { forget, shownList, stateOf, type Ui, withState } from "./ui.js";

/** Rows and lines of one notch of the wheel. */
const NOTCH = 3;

/** `zone` is what is under the pointer; `isDouble`: the second press there in a short time. */
export function point(
  ui: Ui,
  { kind }: Pick<MouseEvent, "kind">,
  zone: string | undefined,
  shown: FrameContext,
  isDouble = false,
): Pressed {
  const asks = ui.mode.kind === "confirm";
  if (kind !== "press") return asks ? { ui } : wheel(ui, kind === "wheelUp" ? "↑" : "↓", shown);
  const at = zone?.indexOf(":") ?? -1;
  if (zone === undefined || at < 0) return { ui };
  const [what, name] = [zone.slice(0, at), zone.slice(at + 1)];
  // A question is answered by its own words only, never by a click beside it.
  if (what === "key") return press(ui, name, shown);
  if (asks) return { ui };
  if (what === "entry") return entered(ui, Number(name), shown);
  const { notice: _, ...rest } = ui;
  const browsing: Ui = { ...rest, mode: { kind: "browse" } };
  if (what === "screen") return { ui: { ...browsing, screen: name } };
  if (what === "tab") return { ui: shownList(browsing, Number(name)) };
  if (what === "sort") return { ui: sortedBy(browsing, Number(name)) };
  return what === "row" ? rowPressed(browsing, Number(name), shown, isDouble) : { ui };
}

function wheel(ui: Ui, key: "↑" | "↓", shown: FrameContext): Pressed {
  let pressed: Pressed = { ui };
  for (let notch = 0; notch < NOTCH; notch += 1) {
    const { ui: next, effect = pressed.effect } = press(pressed.ui, key, shown);
    pressed = { ui: next, ...(effect && { effect }) };
  }
  return pressed;
}

/** A line of the palette or of what was found. */
function entered(ui: Ui, chosen: number, shown: FrameContext): Pressed {
  const { mode } = ui;
  if (mode.kind !== "palette" && mode.kind !== "find") return { ui };
  return press({ ...ui, mode: { ...mode, chosen } }, "Enter", shown);
}

/** By another column; the other way round where it is sorted by that one. */
function sortedBy(ui: Ui, sort: number): Ui {
  const state = stateOf(ui);
  return withState(
    ui,
    state.sort === sort ? { reverse: !state.reverse } : { sort, reverse: false },
  );
}

function rowPressed(ui: Ui, index: number, shown: FrameContext, isDouble: boolean): Pressed {
  const screen = screenOf(shown.screens, ui.screen);
  const list = screen.list(viewOf(shown, screen, stateOf(ui)));
  const selected = list.idAt(index);
  if (selected === undefined) return { ui };
  const isChosen = chosenIndex(stateOf(ui), list) === index;
  // The first stays the first, whatever it becomes.
  const there =
    index === 0 ? withState(forget(ui, "selected"), { index }) : withState(ui, { selected, index });
  return isDouble && isChosen ? press(there, "Enter", shown) : { ui: there };
}
