/** Lengths of time, in milliseconds, and how the language writes them. */

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** `5_400_000` → `1h30m`. */
export function renderDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  if (milliseconds < 0) return `-${renderDuration(-milliseconds)}`;
  let rest = Math.round(milliseconds);
  let text = "";
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * length;
  }
  return text || "0s";
}

/** `"1h30m"` → `5_400_000`; `undefined` where the text is not a duration of the language. For hints. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text);
  if (!match || text === "") return undefined;
  return units.reduce((sum, [, length], index) => sum + Number(match[index + 1] ?? 0) * length, 0);
}
