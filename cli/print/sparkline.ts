const LEVELS = "▁▂▃▄▅▆▇█";

/** A row of bars, from nothing to the largest of the points. Points are not negative. */
export function sparkline(points: readonly number[]): string {
  const most = Math.max(0, ...points);
  return points
    .map((point) => {
      const level = most === 0 ? 0 : Math.round((Math.max(0, point) / most) * (LEVELS.length - 1));
      return LEVELS.charAt(level);
    })
    .join("");
}
