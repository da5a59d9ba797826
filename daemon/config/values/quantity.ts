/**
 * Numbers with a unit: `30s`, `64KiB`, `50%`. They are objects during evaluation to distinguish `timeout = 30` from
 * `timeout = 30s`; plugins receive the amount.
 */

export type QuantityUnit = "duration" | "size" | "percent";

export class Quantity {
  readonly unit: QuantityUnit;
  /** Milliseconds, bytes or a ratio. Milliseconds and bytes are integers. */
  readonly amount: number;

  constructor(unit: QuantityUnit, amount: number) {
    this.unit = unit;
    this.amount = unit === "percent" ? amount : Math.round(amount);
  }

  /** As written in the language. */
  toString(): string {
    if (this.unit === "duration") return renderDuration(this.amount);
    if (this.unit === "size") return renderSize(this.amount);
    return renderPercent(this.amount);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** `0.5` → `50%`. Binary fractions are rounded to what a person would write. */
export function renderPercent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(12))}%`;
}

const durationUnits = [
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
  for (const [unit, length] of durationUnits) {
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
  return durationUnits.reduce(
    (sum, [, length], index) => sum + Number(match[index + 1] ?? 0) * length,
    0,
  );
}

const sizeUnits: ReadonlyArray<readonly [string, number]> = [
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
    sizeUnits.find(([, each]) => whole >= each && whole % each === 0) ?? (["B", 1] as const);
  return `${whole / length}${unit}`;
}

/** `"64KiB"` → `65_536`; `undefined` where the text is not a size of the language. For hints. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text) ?? [];
  const length = sizeUnits.find(([name]) => name === unit)?.[1];
  return amount === undefined || length === undefined ? undefined : Number(amount) * length;
}
