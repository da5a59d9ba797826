/** The list of a screen. */
import { go, query } from "./address.js";
import { h, panel, spans } from "./dom.js";
import type { TableData } from "./wire.js";

/** As the server cuts lists. */
const PAGE_ROWS = 200;

/** `menu` shows the actions for a row. */
export function list(table: TableData, menu: (id: string) => void): Element {
  const { title, size, total, empty, columns, rows } = table;
  const count = [size === total ? `${total}` : `${size} of ${total}`];
  if (rows.length === 0) return panel("wide", title, count, h("p", { class: "r-dim" }, empty));
  const heads = columns.map(({ title: name, isNumber, index }) => {
    const isSorted = query().get("sort") === String(index);
    const order = query().has("reverse") ? "descending" : "ascending";
    const click = () =>
      go({
        page: undefined,
        sort: String(index),
        reverse: isSorted && order === "ascending" ? "1" : undefined,
      });
    const sort = isSorted ? order : undefined;
    const attributes = { class: isNumber ? "number" : "", "aria-sort": sort, scope: "col" };
    return h("th", attributes, h("button", { click, "data-key": `sort-${index}` }, name));
  });
  const kept = new Map<string, KnownRow>();
  const body = rows.map((row) => {
    const text = JSON.stringify([row, columns]);
    const known = knownRows.get(row.id);
    const element = known?.text === text ? known.element : rowElement(row, columns, menu);
    kept.set(row.id, { text, element });
    return element;
  });
  knownRows = kept;
  const head = columns.length > 0 ? h("thead", {}, h("tr", {}, ...heads, h("td"))) : undefined;
  const all = h("table", { class: "list" }, head, h("tbody", {}, ...body));
  return panel("wide", title, count, h("div", { class: "scroll" }, all), pages(table));
}

interface KnownRow {
  readonly text: string;
  readonly element: Element;
}

/** The rows that are shown: those that have not changed are not made again. */
let knownRows: ReadonlyMap<string, KnownRow> = new Map();

function rowElement(
  { id, cells }: TableData["rows"][number],
  columns: TableData["columns"],
  menu: (id: string) => void,
): Element {
  const open = () => go({ open: id });
  const key = (event: KeyboardEvent) =>
    event.target === event.currentTarget &&
    (event.key === "Enter" ? open() : move(event, event.currentTarget));
  const attributes = { tabindex: 0, "data-key": id, "data-row": id, click: open, keydown: key };
  const more = (event: Event) => {
    event.stopPropagation();
    menu(id);
  };
  const about = `Actions for ${cells[0]?.map(({ text }) => text).join("") || id}`;
  const button = { class: "more", "data-key": `more-${id}`, "aria-label": about, click: more };
  return h(
    "tr",
    attributes,
    ...cells.map((cell, at) =>
      h("td", { class: columns[at]?.isNumber ? "number" : "" }, ...spans(cell)),
    ),
    // A line of a text has nothing to be done to.
    columns.length > 0 ? h("td", { class: "number" }, h("button", button, "⋯")) : undefined,
  );
}

/** The way to the rows before and after those that are shown; absent where all are shown. */
function pages({ from, more, size, rows }: TableData): Element | undefined {
  if (from === 0 && !more) return undefined;
  const page = Math.round(from / PAGE_ROWS);
  const button = (name: string, target: number, isThere: boolean) => {
    const click = () => go({ page: target === 0 ? undefined : String(target), open: undefined });
    return h("button", { click, disabled: !isThere, "data-key": `page-${name}` }, name);
  };
  return h(
    "nav",
    { "aria-label": "Pages", class: "pages" },
    button("First", 0, from > 0),
    button("Previous", page - 1, from > 0),
    h("span", {}, `${from + 1} to ${from + rows.length} of ${size}`),
    button("Next", page + 1, more),
  );
}

/** The arrow keys go from row to row. */
function move(event: KeyboardEvent, row: EventTarget | null): void {
  if (!(row instanceof HTMLElement)) return;
  const steps: Record<string, Element | null> = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
  };
  const next = steps[event.key];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
