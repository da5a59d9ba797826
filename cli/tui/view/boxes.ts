/** Panels: lines in a frame with a title on the left of its upper edge, and a fact on the right. */
import { fit, widthOf } from "./lines.js";
import type { Theme } from "./theme.js";

export interface BoxContent {
  readonly title: string;
  /** A count, such as `5 of 20`. */
  readonly fact?: string;
  readonly lines: readonly string[];
  /** Keys act on it: its edges are heavy, so that this is seen without colours. */
  readonly hasFocus?: boolean;
}

export interface BoxSize {
  readonly width: number;
  readonly height: number;
}

const LIGHT = { corners: ["╭", "╮", "╰", "╯"], across: "─", down: "│" } as const;
const HEAVY = { corners: ["┏", "┓", "┗", "┛"], across: "━", down: "┃" } as const;

/** Exactly as large as wanted; what does not fit is cut. Needs 8 cells and 2 lines. */
export function boxed(
  panel: BoxContent,
  { width, height }: BoxSize,
  theme: Theme,
): readonly string[] {
  const { title, fact = "", lines, hasFocus = false } = panel;
  const { corners, across, down } = hasFocus ? HEAVY : LIGHT;
  const edge = (text: string) => theme.paint(hasFocus ? "accent" : "rule", text);
  const room = width - 2;
  const left = title === "" ? "" : `${edge(across)} ${shortened(title, room - 4)} `;
  const right = fact === "" ? "" : ` ${theme.paint("dim", fact)} ${edge(across)}`;
  const isTight = widthOf(left) + widthOf(right) >= room;
  const gap = room - widthOf(left) - (isTight ? 0 : widthOf(right));
  const upper = `${left}${edge(across.repeat(gap))}${isTight ? "" : right}`;
  const rows = Array.from({ length: height - 2 }, (_, index) => fit(lines[index] ?? "", room));
  return [
    edge(corners[0]) + upper + edge(corners[1]),
    ...rows.map((row) => edge(down) + row + edge(down)),
    edge(corners[2] + across.repeat(room) + corners[3]),
  ];
}

const shortened = (text: string, width: number): string =>
  widthOf(text) <= width ? text : fit(text, width);

/** Two panels of the same height beside each other. */
export const beside = (left: readonly string[], right: readonly string[]): readonly string[] =>
  left.map((line, index) => line + (right[index] ?? ""));
