/** When a package is checked again: soon after a release, rarely after a long time without one. Pure. */

const minute = 60_000;
const shortest = minute;
const longest = 60 * minute;
/** The wait is this fraction of the time since the last release. */
const share = 12;

/** Spreads the first checks over five minutes. */
export const firstLook = (
  key: string,
  now: number,
): { readonly at: number; readonly changedAt: number } => ({
  at: now + Math.round(fraction(key) * 5 * minute),
  changedAt: now - 5 * share * minute,
});

/** After a twelfth of the time since the last release, ±10 %, in milliseconds since the epoch. */
export function nextCheck(key: string, changedAt: number, now: number): number {
  const wait = Math.min(Math.max((now - changedAt) / share, shortest), longest);
  return now + Math.round(wait * (0.9 + 0.2 * fraction(`${key} ${now}`)));
}

/** A number from 0 to 1 derived from the text. */
function fraction(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  }
  return (hash >>> 0) / 2 ** 32;
}
