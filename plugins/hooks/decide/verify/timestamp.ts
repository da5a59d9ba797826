/** The timestamp of a request. */

/** Milliseconds since the epoch; parses Unix seconds, milliseconds (13 digits), RFC 3339 and HTTP dates. */
export function timeIn(written: string): number | undefined {
  const text = written.trim();
  if (/^\d{1,11}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  if (!RFC_3339.test(text) && !HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Whether it is within `tolerance` milliseconds of now, in both directions. */
export function isRecent(written: string, now: number, tolerance: number): boolean {
  const time = timeIn(written);
  return time !== undefined && Math.abs(now - time) <= tolerance;
}
