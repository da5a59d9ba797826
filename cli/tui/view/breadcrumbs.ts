/** The way to what is open: `Hooks › Runs › hook.deploy …c2ab`. Esc goes back by one. */
import type { Screen, View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import type { ScreenList } from "./list.js";

/** Characters at the end of an id that tell it from others. */
const TAIL = 4;

export function breadcrumbs(screen: Screen, view: View, list: ScreenList): string {
  const { state, theme } = view;
  const { open } = state;
  const tab = screen.tabs?.[state.tab];
  const steps = [screen.title, ...(tab === undefined ? [] : [tab])];
  const sign = theme.unicode ? " › " : " > ";
  const head = steps.map((step) => theme.paint("dim", step));
  const all = open === undefined ? head : [...head, theme.paint("bold", nameOf(open, list))];
  return all.join(theme.paint("dim", sign));
}

function nameOf(id: string, list: ScreenList): string {
  const name = list.rowAt?.(list.indexOf(id))?.name;
  if (name === undefined || name === id) return oneLine(id);
  return id.length > TAIL * 2 ? `${name} …${oneLine(id.slice(-TAIL))}` : `${name} ${oneLine(id)}`;
}
