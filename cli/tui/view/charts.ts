/** Numbers as pictures made of characters. Points are not negative; the newest is the last. */
import type { Role } from "../../plugin-api/roles.js";
import type { Theme } from "./theme.js";

const LEVELS = "▁▂▃▄▅▆▇█";

/** One row, `width` cells: the newest points, one a cell, nothing before the first. */
export function sparkline(points: readonly number[], width: number): string {
  if (width <= 0) return "";
  const shown = points.slice(-width);
  const most = shown.reduce((a, b) => Math.max(a, b), 0);
  const bars = shown.map((point) => {
    const level = most === 0 ? 0 : Math.round((Math.max(0, point) / most) * (LEVELS.length - 1));
    return LEVELS.charAt(level);
  });
  return bars.join("").padStart(width);
}

/** The bit of a braille character for each dot: left column from the bottom up, then the right one. */
const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;

export interface ChartSize {
  readonly width: number;
  readonly height: number;
  /** What the top stands for. @default the largest point shown */
  readonly top?: number;
}

/** An area of braille: two points a cell across, four steps a cell up. Rows from the top. */
export function brailleArea(points: readonly number[], size: ChartSize): readonly string[] {
  const { width, height } = size;
  const room = width * 2;
  const shown = points.slice(-room);
  const offset = room - shown.length;
  const top = size.top ?? shown.reduce((a, b) => Math.max(a, b), 0);
  const cells = Array.from({ length: height }, () => new Uint8Array(width));
  for (const [index, point] of shown.entries()) {
    const share = top === 0 ? 0 : Math.min(1, Math.max(0, point) / top);
    // What is more than nothing is seen.
    const dots = share === 0 ? 0 : Math.max(1, Math.round(share * height * 4));
    const column = index + offset;
    const bits = DOTS[column % 2 === 0 ? 0 : 1];
    for (let dot = 0; dot < dots; dot += 1) {
      const row = cells[height - 1 - (dot >> 2)];
      if (row) row[column >> 1] = (row[column >> 1] ?? 0) | (bits[dot & 3] ?? 0);
    }
  }
  // The empty character of braille has outlines in some fonts.
  return cells.map((row) =>
    Array.from(row, (bits) => (bits === 0 ? " " : String.fromCodePoint(0x2800 + bits))).join(""),
  );
}

/** A row that is filled to this share of one. */
export function bar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "█".repeat(filled) + "░".repeat(Math.max(0, width - filled));
}

/** A row of `width` cells: how far something is. */
export function gauge(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "▰".repeat(filled) + "▱".repeat(width - filled);
}

interface ChartSeries {
  readonly points: readonly number[];
  readonly role: Role;
}

export interface AxisChart {
  /** Stacked; a column has the role of the last series that is more than nothing there. */
  readonly series: readonly ChartSeries[];
  /** The number of a label: `12/s`. */
  readonly label: (value: number) => string;
  /** What the left end of the axis is: `4 min ago`. */
  readonly since: string;
}

/** Cells of a label, with the line of the axis. */
const AXIS = 6;

/** Braille with a scale on its left and times below. As high and as wide as wanted; needs 4 lines and 24 cells. */
export function axisChart(
  chart: AxisChart,
  { width, height }: ChartSize,
  { paint }: Pick<Theme, "paint">,
): readonly string[] {
  const { series, label, since } = chart;
  const room = { width: width - AXIS - 1, height: height - 2 };
  const shown = series.map(({ points, role }) => ({
    points: newest(points, room.width * 2),
    role,
  }));
  const sums = Array.from({ length: room.width * 2 }, (_, index) =>
    shown.reduce((sum, { points }) => sum + (points[index] ?? 0), 0),
  );
  const top = scaleTop(sums.reduce((a, b) => Math.max(a, b), 0));
  const roles = Array.from({ length: room.width }, (_, cell) => {
    const has = ({ points }: ChartSeries) =>
      (points[cell * 2] ?? 0) > 0 || (points[cell * 2 + 1] ?? 0) > 0;
    return shown.findLast(has)?.role ?? "dim";
  });
  const dim = (text: string) => paint("dim", text);
  const middle = room.height >= 3 ? room.height >> 1 : -1;
  const rows = brailleArea(sums, { ...room, top }).map((row, index) => {
    const value =
      index === 0 ? top : index === middle ? top * (1 - middle / room.height) : undefined;
    const scale = value === undefined ? "│".padStart(AXIS) : `${label(value).padStart(AXIS - 1)}┤`;
    return dim(scale) + painted(row, roles, paint);
  });
  const ticks = Array.from({ length: room.width }, (_, cell) =>
    cell > 0 && cell % Math.max(1, Math.floor(room.width / 4)) === 0 ? "┴" : "─",
  );
  const times = since + "now".padStart(Math.max(4, room.width - since.length));
  return [
    ...rows,
    dim(`${"0".padStart(AXIS - 1)}└${ticks.join("")}`),
    dim(" ".repeat(AXIS) + times),
  ];
}

/** The newest points at the end, zeros where there are none. */
function newest(points: readonly number[], length: number): readonly number[] {
  const shown = points.slice(-length);
  return [...new Array<number>(length - shown.length).fill(0), ...shown];
}

/** 1, 2, 2.5 or 5 times a power of ten, not below the peak. */
export function scaleTop(peak: number): number {
  if (peak <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(peak));
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= peak) ?? 10) * power;
}

/** Neighbors of one role in one piece. */
function painted(row: string, roles: readonly Role[], paint: Theme["paint"]): string {
  const cells = Array.from(row);
  let text = "";
  for (let from = 0; from < cells.length; ) {
    let to = from + 1;
    while (to < cells.length && roles[to] === roles[from]) to += 1;
    text += paint(roles[from] ?? "dim", cells.slice(from, to).join(""));
    from = to;
  }
  return text;
}
