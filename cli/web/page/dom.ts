/** Elements of the page. Text is text nodes, so nothing in it becomes markup. */
import type { Line, PaintedText } from "./wire.js";

export type ElementContent = Node | string | undefined;

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "polyline", "rect", "line", "title"]);

export function h(
  tag: string,
  attributes: Record<string, unknown> = {},
  ...children: ElementContent[]
): Element {
  const element = SVG_TAGS.has(tag)
    ? document.createElementNS(SVG, tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export const spans = (all: readonly PaintedText[]): ElementContent[] =>
  all.map(({ text, role, bold }) =>
    role || bold ? h("span", { class: `r-${role ?? "text"}${bold ? " bold" : ""}` }, text) : text,
  );
export const line = (columns: Line): Element =>
  h("div", { class: "line" }, ...columns.map((column) => h("span", {}, ...spans(column))));
export const panel = (
  kind: string,
  title: string,
  fact: ElementContent[],
  ...rest: ElementContent[]
): Element =>
  h(
    "section",
    { class: kind },
    h("div", { class: "head" }, h("h2", {}, title), h("span", { class: "r-dim" }, ...fact)),
    ...rest,
  );
