/** Tables and figures, alike in all benchmarks. */
import { cpus } from "node:os";

/** `share` of the numbers are at most this: 0.5 is the median. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export interface Row {
  readonly what: string;
  readonly result: string;
  readonly bar: string;
}

/** Prints one Markdown table and what it was measured on. */
export function print(rows: readonly Row[], remark: string): void {
  const [cpu] = cpus();
  process.stdout.write(
    [
      "| what | result | bar |",
      "|---|---|---|",
      ...rows.map(({ what, result, bar }) => `| ${what} | ${result} | ${bar} |`),
      "",
      `Node ${process.version}, ${cpus().length} × ${cpu?.model ?? "unknown processor"}. ${remark}`,
      "",
    ].join("\n"),
  );
}
