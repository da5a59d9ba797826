/** A screen between its head and its last line: what stands above, then its list; or what is looked at closely. */
import type { Screen, View } from "../../plugin-api/screen.js";
import { chosenIndex } from "../ui/chosen.js";
import { ends, fit, wrapped } from "./lines.js";
import type { ScreenList } from "./list.js";

/** Lines that a list gets at least, where its screen does not say so: its title, its heading and a few rows. */
const LEAST = 6;
/** Lines below a list from which on the chosen row is shown there. */
const WORTHWHILE = 6;

export function bodyLines(screen: Screen, view: View): readonly string[] {
  const { state } = view;
  if (state.open !== undefined && screen.detail) {
    return scrolled(screen.detail(view, state.open), state.scroll, view);
  }
  const top = screen.top(view).slice(0, Math.max(0, view.height - (screen.least ?? LEAST)));
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
  const where = linesFrom(from, room, lines.length);
  return [...lines.slice(from, from + room), theme.paint("dim", fit(where, width))];
}

const linesFrom = (from: number, room: number, all: number): string =>
  `lines ${from + 1} to ${from + room} of ${all}`;

function listLines(screen: Screen, view: View, height: number): readonly string[] {
  const list = screen.list(view);
  const { theme, width } = view;
  const titled = (about: string) => ends(titleOf(screen, view), theme.paint("dim", about), width);
  if (list.size === 0) {
    const why =
      view.state.filter === "" ? screen.empty(view) : "Nothing has this text in it. Esc shows all.";
    const words = wrapped(why, width - 4).map((line) => theme.paint("dim", `  ${line}`));
    return [titled(aboutList(list, view)), "", ...words];
  }
  if (list.columns.length === 0) return textLines(list, view, height, titled);
  const room = Math.max(1, height - 2);
  const chosen = chosenIndex(view.state, list);
  const from = windowStart(chosen, list.size, room);
  const { heading = "", rows } = list.lay(from, room, width - 2);
  const marked = rows.map((row, index) => {
    if (from + index !== chosen) return `  ${row}`;
    return theme.paint("selected", fit(`${theme.unicode ? "▌" : ">"} ${row}`, width));
  });
  const lines = [titled(aboutList(list, view)), `  ${heading}`, ...marked];
  return [...lines, ...below(screen, view, list.idAt(chosen), height - lines.length)];
}

/** What is read and not chosen from: it moves line by line. */
function textLines(
  list: ScreenList,
  { state, width }: View,
  height: number,
  titled: (about: string) => string,
): readonly string[] {
  const room = Math.max(1, height - 1);
  const from = Math.max(0, Math.min(chosenIndex(state, list), list.size - room));
  const { rows } = list.lay(from, room, width);
  const where = list.size > room ? linesFrom(from, room, list.size) : "";
  const about = state.filter === "" ? where : aboutList(list, { state });
  return [titled(about), ...rows];
}

/** The chosen row from close, where there is room for it. */
function below(
  screen: Screen,
  view: View,
  id: string | undefined,
  left: number,
): readonly string[] {
  if (id === undefined || left < WORTHWHILE || !screen.preview) return [];
  const room = left - 2;
  const lines = screen.preview({ ...view, height: room }, id);
  if (lines.length === 0) return [];
  const rule = view.theme.paint("rule", "─".repeat(view.width));
  return ["", rule, ...lines.slice(0, room)];
}

/** The names of its lists, the one that is shown in brackets; or that of the only one. */
function titleOf(screen: Screen, view: View): string {
  const { theme, state } = view;
  if (!screen.tabs) return theme.paint("bold", screen.listTitle(view));
  return screen.tabs
    .map((tab, index) =>
      index === state.tab ? theme.paint("bold", `[${tab}]`) : theme.paint("dim", ` ${tab} `),
    )
    .join("");
}

/** The chosen row is in the middle, except at both ends. */
function windowStart(chosen: number, size: number, room: number): number {
  return Math.max(0, Math.min(chosen - Math.floor(room / 2), size - room));
}

function aboutList(list: ScreenList, { state }: Pick<View, "state">): string {
  const { filter, sort, reverse } = state;
  const column = sort === undefined ? undefined : list.columns[sort];
  return [
    filter === "" ? `${list.size}` : `${list.size} of ${list.total} with "${filter}"`,
    ...(column === undefined ? [] : [`by ${column.toLowerCase()}`]),
    ...(reverse ? ["reversed"] : []),
  ].join(", ");
}
