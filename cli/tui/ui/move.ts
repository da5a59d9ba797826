/** Moving in lists and texts. */
import type { Effect, View } from "../../plugin-api/screen.js";
import type { ScreenList } from "../view/list.js";
import { chosenIndex } from "./chosen.js";
import { forget, type Ui, withState } from "./ui.js";

interface Moved {
  readonly ui: Ui;
  readonly effect?: Effect;
}

/** Rows from the end at which older ones are asked for. */
const NEAR = 100;

export function move(ui: Ui, action: string, view: View, list: ScreenList): Moved {
  const { state, height, model } = view;
  const from = chosenIndex(state, list);
  const page = Math.max(1, Math.floor(height / 2));
  const size = stopsOf(list, view);
  const wanted = target(action, from, size, page);
  if (wanted === undefined || list.size === 0) return { ui };
  const index = Math.max(0, Math.min(wanted, size - 1));
  const selected = list.idAt(index);
  // The first stays the first, whatever it becomes.
  const isTop = index === 0 || selected === undefined;
  const next = isTop
    ? withState(forget(ui, "selected"), { index: 0 })
    : withState(ui, { selected, index });
  const wantsMore = model.moreRuns && index >= list.size - NEAR;
  return wantsMore ? { ui: next, effect: { kind: "more" } } : { ui: next };
}

/** A text stops where its last line is seen; a list, on its last row. */
const stopsOf = ({ columns, size }: ScreenList, { height }: View): number =>
  columns.length === 0 ? Math.max(1, size - (height - 1) + 1) : size;

function target(action: string, from: number, size: number, page: number): number | undefined {
  switch (action) {
    case "up":
      return from - 1;
    case "down":
      return from + 1;
    case "pageUp":
      return from - page;
    case "pageDown":
      return from + page;
    case "first":
      return 0;
    case "last":
      return size - 1;
    case "next":
      return from + 1 >= size ? 0 : from + 1;
    case "previous":
      return from === 0 ? size - 1 : from - 1;
    default:
      return undefined;
  }
}

/** Lines are only counted where they are drawn: too far down is cut there. */
const FAR = 1e6;

/** First line that is seen then; `undefined` for keys that do not scroll. */
export function moveScroll(scroll: number, action: string, height: number): number | undefined {
  const page = Math.max(1, height - 4);
  const steps: Readonly<Partial<Record<string, number>>> = {
    up: -1,
    down: 1,
    pageUp: -page,
    pageDown: page,
    first: -FAR,
    last: FAR,
  };
  const step = steps[action];
  return step === undefined ? undefined : Math.max(0, scroll + step);
}
