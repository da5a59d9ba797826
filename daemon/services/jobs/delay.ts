/** How long a job waits for its next try. */

const hour = 3_600_000;

/** Doubled for each try, and up to a quarter longer, so that many do not come back at once. */
export function delay(backoff: number, attempt: number): number {
  const base = Math.min(backoff * 2 ** (attempt - 1), hour);
  return Math.round(Math.min(base * (1 + Math.random() / 4), hour));
}
