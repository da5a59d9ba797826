/** A screen between its head and its last line: what stands above, then its list; or what is looked at closely. */
import type { Screen, View } from "../screens/screen.js";
import { chosenIndex } from "../ui/chosen.js";
import { ends, fit } from "./lines.js";
import type { List } from "./list.js";

/** Lines that a list gets at least: its title, its heading and a few rows. */
const LEAST = 6;

export function bodyLines(screen: Screen, view: View): readonly string[] {
  const { state } = view;
  if (state.open !== undefined && screen.detail) {
    return scrolled(screen.detail(view, state.open), state.scroll, view);
  }
  const top = screen.top(view).slice(0, Math.max(0, view.height - LEAST));
  return [...top, ...listLines(screen, view, view.height - top.length)];
}

/** A part of a text, with how much there is where it does not fit. */
export function scrolled(
  lines: readonly string[],
  scroll: number,
  { height, width, theme }: Pick<View, "height" | "width" | "theme">,
): readonly string[] {
  if (lines.length <= height) return lines;
  const room = height - 1;
  const from = Math.max(0, Math.min(scroll, lines.length - room));
  const where = `lines ${from + 1} to ${from + room} of ${lines.length}`;
  return [...lines.slice(from, from + room), theme.paint("dim", fit(where, width))];
}

function listLines(screen: Screen, view: View, height: number): readonly string[] {
  const list = screen.list(view);
  const { theme, width } = view;
  const title = ends(
    theme.paint("bold", screen.listTitle(view)),
    theme.paint("dim", aboutList(list, view)),
    width,
  );
  if (list.size === 0) {
    const why =
      view.state.filter === "" ? screen.empty(view) : "Nothing has this text in it. Esc shows all.";
    return [title, "", theme.paint("dim", `  ${why}`)];
  }
  const room = Math.max(1, height - (list.columns.length === 0 ? 1 : 2));
  const chosen = chosenIndex(view.state, list);
  const from = windowStart(chosen, list.size, room);
  const { heading, rows } = list.lay(from, room, width - 2);
  const marked = rows.map((row, index) => {
    if (from + index !== chosen) return `  ${row}`;
    return theme.paint("inverse", fit(`${theme.unicode ? "▌" : ">"} ${row}`, width));
  });
  return [title, ...(heading === undefined ? [] : [`  ${heading}`]), ...marked];
}

/** The chosen row is in the middle, except at both ends. */
function windowStart(chosen: number, size: number, room: number): number {
  return Math.max(0, Math.min(chosen - Math.floor(room / 2), size - room));
}

function aboutList(list: List, { state }: View): string {
  const { filter, sort, reverse } = state;
  const column = sort === undefined ? undefined : list.columns[sort];
  return [
    filter === "" ? `${list.size}` : `${list.size} of ${list.total} with "${filter}"`,
    ...(column === undefined ? [] : [`by ${column.toLowerCase()}`]),
    ...(reverse ? ["reversed"] : []),
  ].join(", ");
}
