/** Sizes and times in the words of the existing server's log. */

/** `28 B`, `2.1 KiB`. */
export function bytes(count: number): string {
  if (count < 10) return `${count} B`;
  const power = Math.min(4, Math.floor(Math.log2(count) / 10));
  const value = Math.floor((count / 1024 ** power) * 10 + 0.5) / 10;
  const unit = ["B", "KiB", "MiB", "GiB", "TiB"][power];
  return power > 0 && value < 10 ? `${value.toFixed(1)} ${unit}` : `${value.toFixed(0)} ${unit}`;
}

/** `1.625666ms`, `12.5µs`, `2.000000001s`. */
export function elapsed(nanoseconds: bigint): string {
  const count = Number(nanoseconds);
  if (count < 1000) return `${count}ns`;
  if (count < 1_000_000) return `${count / 1000}µs`;
  if (count < 1_000_000_000) return `${count / 1_000_000}ms`;
  const minutes = Math.floor(count / 60_000_000_000);
  const seconds = (count - minutes * 60_000_000_000) / 1_000_000_000;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
