/** Durations, sizes and counts in flags. */
import { FirewallError } from "../errors.js";

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const bytes: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
};

/** Parses `90s`, `5m`, `1h30m` into milliseconds; a bare number is seconds. */
export function readDuration(text: string): number {
  const written = /^\d+(\.\d+)?$/.test(text) ? `${text}s` : text;
  const parts = [...written.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  const total = parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (milliseconds[unit ?? ""] ?? 0),
    0,
  );
  if (parts.map(([part]) => part).join("") !== written || !(total > 0 && total <= 2 ** 31 - 1)) {
    throw new FirewallError(
      "invalid_duration",
      `Invalid duration: ${text}. Write 90s, 5m or 1h30m, up to 24 days`,
    );
  }
  return total;
}

/** Parses `512m`, `4g`, `1.5GiB` into bytes. */
export function readSize(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([bkmgt]?)(?:i?b)?$/i.exec(text) ?? [];
  const size = Math.floor(Number(amount) * (bytes[(unit || "b").toLowerCase()] ?? Number.NaN));
  if (!(size >= 1024 * 1024)) {
    throw new FirewallError(
      "invalid_size",
      `Invalid memory size: ${text}. Write 512m or 4g, at least 1m`,
    );
  }
  return size;
}

export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 4_194_304) return count;
  throw new FirewallError(
    "invalid_count",
    `Invalid process count: ${text}. Must be a whole number from 1`,
  );
}

export function readLimit(flag: string, text: string): number {
  const count = Number(text);
  if (/^\d{1,15}$/.test(text) && count >= 1) return count;
  throw new FirewallError(
    "invalid_count",
    `Invalid value for ${flag}: ${text}. Must be a whole number from 1`,
  );
}
