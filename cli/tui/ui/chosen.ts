/** The chosen row of a list. */

import type { ScreenState } from "../../plugin-api/screen.js";
import type { ScreenList } from "../view/list.js";

/** Its index, or that of the row that has replaced it. Without a choice: the first. */
export function chosenIndex({ selected, index }: ScreenState, list: ScreenList): number {
  if (selected === undefined) return 0;
  const found = list.idAt(index) === selected ? index : list.indexOf(selected);
  return Math.max(0, Math.min(found >= 0 ? found : index, list.size - 1));
}
