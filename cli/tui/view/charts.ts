/** Numbers as pictures made of characters. Points are not negative; the newest is the last. */

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
  return cells.map((row) =>
    Array.from(row, (bits) => String.fromCodePoint(0x2800 + bits)).join(""),
  );
}

/** A row that is filled to this share of one. */
export function bar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "█".repeat(filled) + "░".repeat(Math.max(0, width - filled));
}
