/** Amounts of data, in bytes, and how the language writes them: `KiB` is 1024, `kB` is 1000. */

const units: ReadonlyArray<readonly [string, number]> = [
  ["TiB", 1024 ** 4],
  ["TB", 1000 ** 4],
  ["GiB", 1024 ** 3],
  ["GB", 1000 ** 3],
  ["MiB", 1024 ** 2],
  ["MB", 1000 ** 2],
  ["KiB", 1024],
  ["kB", 1000],
  ["B", 1],
];

/** The largest unit that needs no fraction: `65_536` → `64KiB`. */
export function renderSize(bytes: number): string {
  if (bytes < 0) return `-${renderSize(-bytes)}`;
  const whole = Math.round(bytes);
  const [unit, length] =
    units.find(([, each]) => whole >= each && whole % each === 0) ?? (["B", 1] as const);
  return `${whole / length}${unit}`;
}

/** `"64KiB"` → `65_536`; `undefined` where the text is not a size of the language. For hints. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text) ?? [];
  const length = units.find(([name]) => name === unit)?.[1];
  return amount === undefined || length === undefined ? undefined : Number(amount) * length;
}
