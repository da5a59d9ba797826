/** A list with its chosen row from close: below it, beside it, or in three columns. Opening a row moves the focus there. */
import type { Screen, View } from "../../plugin-api/screen.js";
import { chosenIndex } from "../ui/chosen.js";
import { type BoxContent, type BoxSize, beside, boxed } from "./boxes.js";
import { breadcrumbs } from "./breadcrumbs.js";
import type { ScreenList } from "./list.js";

/** Columns of the terminal from which on the chosen row is beside its list, and from which on there is a third panel. */
export const BESIDE = 140;
export const THREE = 200;
/** Shares of the width. */
const OF_DETAIL = 0.42;
const OF_LIST_IN_THREE = 0.38;
const OF_DETAIL_IN_THREE = 0.27;
/** Of the height, for the chosen row above a further panel. */
const OF_UPPER = 0.6;
/** Lines of a panel that is worth showing. */
const WORTHWHILE = 6;

export interface Panels {
  readonly screen: Screen;
  readonly view: View;
  readonly list: ScreenList;
  /** Draws the list; the one that keys act on has heavy edges. */
  readonly listPanel: (size: BoxSize, hasFocus: boolean) => readonly string[];
}

type Source = "preview" | "detail" | "further";

/** From 140 columns on. */
export function wideBody(panels: Panels, height: number): readonly string[] {
  const { view, listPanel } = panels;
  const { width } = view;
  const isOpen = view.state.open !== undefined;
  const id = rowOf(panels);
  const hasDetail = id !== undefined && has(panels, closeSource(panels), id);
  if (id === undefined || !hasDetail) return listPanel({ width, height }, true);
  const hasFurther = has(panels, "further", id);
  const isRun = isOpen && hasFurther && panels.screen.opensRuns === true;
  const detail = { source: closeSource(panels), hasFocus: isOpen && !isRun };
  const further = { source: "further", hasFocus: isRun } as const;
  if (width >= THREE && hasFurther) {
    const first = Math.floor(width * OF_LIST_IN_THREE);
    const second = Math.floor(width * OF_DETAIL_IN_THREE);
    return [
      listPanel({ width: first, height }, !isOpen),
      panelOf(panels, id, detail, { width: second, height }),
      panelOf(panels, id, further, { width: width - first - second, height }),
    ].reduce(beside);
  }
  const right = Math.floor(width * (isOpen ? 1 - OF_DETAIL : OF_DETAIL));
  const left = { width: width - right, height };
  if (isRun) {
    const facts = panelOf(panels, id, detail, left);
    return beside(facts, panelOf(panels, id, further, { width: right, height }));
  }
  return beside(listPanel(left, !isOpen), stacked(panels, id, detail, { width: right, height }));
}

interface Shown {
  readonly source: Source;
  readonly hasFocus: boolean;
}

/** The chosen row, and below it a further panel where both have room. */
function stacked(panels: Panels, id: string, detail: Shown, size: BoxSize): readonly string[] {
  const { width, height } = size;
  const lines = contentOf(panels, id, detail.source, size)?.lines.length ?? 0;
  const upper = Math.max(WORTHWHILE, Math.min(lines + 2, Math.floor(height * OF_UPPER)));
  const lower = height - upper;
  if (detail.hasFocus || lower < WORTHWHILE || !has(panels, "further", id)) {
    return panelOf(panels, id, detail, size);
  }
  return [
    ...panelOf(panels, id, detail, { width, height: upper }),
    ...panelOf(panels, id, { source: "further", hasFocus: false }, { width, height: lower }),
  ];
}

/** The chosen row in one panel; `undefined` where the screen has nothing to say of it. */
export function closePanel(panels: Panels, size: BoxSize): readonly string[] | undefined {
  const id = rowOf(panels);
  if (id === undefined || size.height < WORTHWHILE || !has(panels, "preview", id)) return undefined;
  return panelOf(panels, id, { source: "preview", hasFocus: false }, size);
}

/** The opened row alone, below the way to it. */
export function openPanel(panels: Panels, size: BoxSize): readonly string[] {
  const id = panels.view.state.open ?? "";
  const content = contentOf(panels, id, "detail", size);
  const title = breadcrumbs(panels.screen, panels.view, panels.list);
  // Its own title is a line here.
  const lines = content ? [` ${content.title}`, ...content.lines] : [];
  return focused({ title, lines }, panels.view, size);
}

const rowOf = ({ view, list }: Panels): string | undefined =>
  view.state.open ?? list.idAt(chosenIndex(view.state, list));

/** What is opened and has no panel of facts is shown as a whole. */
function closeSource({ screen, view }: Panels): Source {
  const isWhole = view.state.open !== undefined && !(screen.opensRuns && screen.further);
  return isWhole ? "detail" : "preview";
}

function has({ screen, view }: Panels, source: Source, id: string): boolean {
  const lines = screen[source]?.({ ...view, width: 40, height: WORTHWHILE }, id);
  return lines !== undefined && lines.length > 0;
}

interface Content {
  readonly title: string;
  readonly lines: readonly string[];
}

function contentOf(
  { screen, view }: Panels,
  id: string,
  source: Source,
  size: BoxSize,
): Content | undefined {
  const inner = { ...view, width: size.width - 4, height: size.height - 2 };
  const [title = "", next = "", ...more] = screen[source]?.(inner, id) ?? [];
  const lines = next.trim() === "" ? more : [next, ...more];
  return title === "" ? undefined : { title, lines: lines.map((line) => ` ${line}`) };
}

function panelOf(
  panels: Panels,
  id: string,
  { source, hasFocus }: Shown,
  size: BoxSize,
): readonly string[] {
  const content = contentOf(panels, id, source, size) ?? { title: "", lines: [] };
  if (hasFocus) return focused(content, panels.view, size);
  const room = size.height - 2;
  const { length } = content.lines;
  const fact = length > room ? `${room} of ${length} lines` : "";
  return boxed({ ...content, fact }, size, panels.view.theme);
}

/** A panel that is scrolled. */
function focused({ title, lines }: Content, { state, theme }: View, size: BoxSize) {
  const room = size.height - 2;
  const from = Math.max(0, Math.min(state.scroll, lines.length - room));
  const fact = lines.length > room ? `lines ${from + 1} to ${from + room} of ${lines.length}` : "";
  const content: BoxContent = { title, fact, lines: lines.slice(from), hasFocus: true };
  return boxed(content, size, theme);
}
