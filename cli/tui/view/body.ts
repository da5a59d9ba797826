/** A screen between its head and its last line: what stands above, then its list; or what is looked at closely. */
import type { Screen, View } from "../../plugin-api/screen.js";
import { chosenIndex } from "../ui/chosen.js";
import { type BoxContent, type BoxSize, beside, boxed } from "./boxes.js";
import { ends, fit, wrapped } from "./lines.js";
import type { ScreenList } from "./list.js";

/** Lines that a list gets at least, where its screen does not say so: its title, its heading and a few rows. */
const LEAST = 6;
/** Lines below a list from which on the chosen row is shown there. */
const WORTHWHILE = 6;
/** Columns from which on lists are panels, and from which on the chosen row is beside its list. */
const BOXED = 120;
const BESIDE = 140;

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
  if (list.size > 0 && list.columns.length === 0) return textLines(list, view, height, titled);
  if (width >= BOXED) return panels(screen, view, list, height);
  const lines = [titled(aboutList(list, view)), ...rowLines(screen, view, list, height - 1)];
  return list.size === 0 ? lines : [...lines, ...below(screen, view, list, height - lines.length)];
}

/** The heading and the visible rows, or why there are none. */
function rowLines(screen: Screen, view: View, list: ScreenList, height: number): readonly string[] {
  const { theme, width } = view;
  if (list.size === 0) {
    const why =
      view.state.filter === "" ? screen.empty(view) : "Nothing has this text in it. Esc shows all.";
    const words = wrapped(why, width - 4).map((line) => theme.paint("dim", `  ${line}`));
    return ["", ...words];
  }
  const room = Math.max(1, height - 1);
  const chosen = chosenIndex(view.state, list);
  const from = windowStart(chosen, list.size, room);
  const { heading = "", rows } = list.lay(from, room, width - 2);
  const marked = rows.map((row, index) => {
    if (from + index !== chosen) return `  ${row}`;
    return theme.paint("selected", fit(`${theme.unicode ? "▌" : ">"} ${row}`, width));
  });
  return [`  ${heading}`, ...marked];
}

/** The list in a panel; its chosen row from close in another one, beside it where there is room. */
function panels(screen: Screen, view: View, list: ScreenList, height: number): readonly string[] {
  const { theme, width } = view;
  const id = list.idAt(chosenIndex(view.state, list));
  const closeUp = (room: BoxSize): BoxContent | undefined => {
    if (id === undefined || !screen.preview || height < LEAST) return undefined;
    const inner = { ...view, width: room.width - 4, height: room.height - 2 };
    const [title = "", next = "", ...more] = screen.preview(inner, id);
    const lines = next.trim() === "" ? more : [next, ...more];
    return title === "" ? undefined : { title, lines: lines.map((line) => ` ${line}`) };
  };
  const listPanel = (size: BoxSize) => {
    const inner = { ...view, width: size.width - 2 };
    const lines = rowLines(screen, inner, list, size.height - 2);
    const fact = aboutList(list, view);
    return boxed({ title: titleOf(screen, view), fact, lines, hasFocus: true }, size, theme);
  };
  if (width >= BESIDE) {
    const right = { width: Math.floor(width * 0.42), height };
    const panel = closeUp(right);
    if (panel === undefined) return listPanel({ width, height });
    return beside(listPanel({ width: width - right.width, height }), boxed(panel, right, theme));
  }
  const upper = Math.min(height, list.size + 3);
  const lower = { width, height: height - upper };
  const panel = lower.height < WORTHWHILE ? undefined : closeUp(lower);
  return panel === undefined
    ? listPanel({ width, height })
    : [...listPanel({ width, height: upper }), ...boxed(panel, lower, theme)];
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
  const about = state.filter === "" ? where : aboutList(list, { state, width });
  return [titled(about), ...rows];
}

/** The chosen row from close, where there is room for it. */
function below(screen: Screen, view: View, list: ScreenList, left: number): readonly string[] {
  const id = list.idAt(chosenIndex(view.state, list));
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

function aboutList(list: ScreenList, { state, width }: Pick<View, "state" | "width">): string {
  const { filter, sort, reverse } = state;
  const at = width >= BOXED && list.size > 0 ? `${chosenIndex(state, list) + 1} of ` : "";
  const column = sort === undefined ? undefined : list.columns[sort];
  return [
    filter === ""
      ? `${at}${list.size}`
      : `${at || `${list.size} of `}${at ? list.size : list.total} with "${filter}"`,
    ...(column === undefined ? [] : [`by ${column.toLowerCase()}`]),
    ...(reverse ? ["reversed"] : []),
  ].join(", ");
}
