/** Time zones of the IANA database. */

/** A local date and time. */
export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function wallTime(at: number, zone: string): WallTime {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

const minuteLong = 60_000;

/**
 * The time at which a local clock shows `wall`: the first if it shows it twice, the next existing minute if it skips it. Days and
 * months may overflow.
 */
export function momentOf(wall: WallTime, zone: string): number {
  const wanted = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);
  const shown = (at: number): number => {
    const { year, month, day, hour, minute } = wallTime(at, zone);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
  // Try both offsets in force around that day; the earlier fitting time wins.
  const candidates = [-1, 1].map((days) => {
    const near = wanted + days * 24 * 60 * minuteLong;
    return wanted - (shown(near) - near);
  });
  const fitting = candidates.filter((at) => shown(at) === wanted).sort((a, b) => a - b);
  const [first] = fitting;
  if (first !== undefined) return first;
  // Skipped: find the first minute after the gap.
  let at = Math.min(...candidates);
  while (shown(at) < wanted) at += minuteLong;
  return at;
}
