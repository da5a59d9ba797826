/** A time in UTC, without milliseconds: `2026-03-29T01:00:00Z` (RFC 3339). */
export const rfc3339 = (time: number): string =>
  new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
