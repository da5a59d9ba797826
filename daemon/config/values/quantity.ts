/**
 * Numbers with a unit: `30s`, `64KiB`, `50%`. They are objects while the configuration is evaluated, so that
 * `timeout = 30` is told from `timeout = 30s`; plugins get the bare amount.
 */
import { renderDuration } from "./duration.js";
import { renderSize } from "./size.js";

export type QuantityUnit = "duration" | "size" | "percent";

export class Quantity {
  readonly unit: QuantityUnit;
  /** Milliseconds, bytes, or a share of one. Milliseconds and bytes are whole numbers. */
  readonly amount: number;

  constructor(unit: QuantityUnit, amount: number) {
    this.unit = unit;
    this.amount = unit === "percent" ? amount : Math.round(amount);
  }

  /** As it is written in the language. */
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
