/** A screen between its head and its last line: what stands above, then its list; or what is looked at closely. */
import type { Screen, View } from "../../plugin-api/screen.js";
import { chosenIndex } from "../ui/chosen.js";
import { beside, boxed } from "./boxes.js";
import { breadcrumbs } from "./breadcrumbs.js";
import { BESIDE, closePanel, openPanel, type Panels, wideBody } from "./columns.js";
import { ends, fit, widthOf, wrapped } from "./lines.js";
import type { ScreenList } from "./list.js";
import { zoned } from "./zones.js";

/** Lines that a list gets at least, where its screen does not say so: its title, its heading and a few rows. */
const LEAST = 6;
/** Lines below a list from which on the chosen row is shown there. */
const WORTHWHILE = 6;
/** Columns from which on lists are panels. */
const BOXED = 100;
/** Of the height, for a list above its chosen row, where other columns are beside both. */
const LIST_SHARE = 0.65;

export function bodyLines(screen: Screen, view: View): readonly string[] {
  const { state } = view;
  if (state.open !== undefined && screen.detail) {
    return openBody(screen, view, state.open);
  }
  const side = screen.side?.(view);
  if (side !== undefined) {
    const width = view.width - widthOf(side[0] ?? "");
    const inner = { ...view, width };
    const most = Math.ceil(view.height * LIST_SHARE);
    return beside(side, panels(screen, inner, screen.list(inner), view.height, most));
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
  // A screen that has columns of its own at its side has no room for another one without them.
  const { preview, ...alone } = screen;
  if (width >= BOXED) return panels(screen.side ? alone : screen, view, list, height);
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
    const line =
      from + index === chosen
        ? theme.paint("selected", fit(`${theme.unicode ? "▌" : ">"} ${row}`, width))
        : fit(`  ${row}`, width);
    return zoned(theme, `row:${from + index}`, line);
  });
  return [`  ${heading}`, ...marked];
}

/** The list in a panel; its chosen row from close below it or beside it. */
function panels(
  screen: Screen,
  view: View,
  list: ScreenList,
  height: number,
  most = height,
): readonly string[] {
  const { width } = view;
  const all = panelsOf(screen, view, list);
  if (width >= BESIDE) return wideBody(all, height);
  const upper = Math.min(most, list.size + 3);
  const panel = closePanel(all, { width, height: height - upper });
  return panel === undefined
    ? all.listPanel({ width, height }, true)
    : [...all.listPanel({ width, height: upper }, true), ...panel];
}

function panelsOf(screen: Screen, view: View, list: ScreenList): Panels {
  return {
    ...{ screen, view, list },
    listPanel(size, hasFocus) {
      const inner = { ...view, width: size.width - 2 };
      const lines = rowLines(screen, inner, list, size.height - 2);
      const content = { title: titleOf(screen, view), fact: aboutList(list, view), lines };
      return boxed({ ...content, hasFocus }, size, view.theme);
    },
  };
}

/** The opened row: with its list beside it, in a panel, or below the way to it. */
function openBody(screen: Screen, view: View, id: string): readonly string[] {
  const { width, height, theme } = view;
  const list = screen.list(view);
  const all = panelsOf(screen, view, list);
  if (width >= BESIDE) return wideBody(all, height);
  if (width >= BOXED) return openPanel(all, { width, height });
  const room = { ...view, height: height - 1 };
  const lines = screen.detail?.(room, id) ?? [];
  return [
    breadcrumbs(screen, view, list),
    ...scrolled(lines, view.state.scroll, { ...room, theme }),
  ];
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
    .map((tab, index) => {
      const name =
        index === state.tab ? theme.paint("bold", `[${tab}]`) : theme.paint("dim", ` ${tab} `);
      return zoned(theme, `tab:${index}`, name);
    })
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
