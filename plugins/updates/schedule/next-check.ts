/** When a package is looked at again: soon after news, seldom where there has been none for long. Pure. */

const minute = 60_000;
const shortest = minute;
const longest = 60 * minute;
/** What the time without news is divided by. */
const share = 12;

/** A package that nobody has looked at yet: within five minutes, not all in the same moment. */
export const firstLook = (
  key: string,
  now: number,
): { readonly at: number; readonly changedAt: number } => ({
  at: now + Math.round(fraction(key) * 5 * minute),
  changedAt: now - 5 * share * minute,
});

/** Milliseconds since the epoch: after a twelfth of the time since the last news, a tenth sooner or later. */
export function nextCheck(key: string, changedAt: number, now: number): number {
  const wait = Math.min(Math.max((now - changedAt) / share, shortest), longest);
  return now + Math.round(wait * (0.9 + 0.2 * fraction(`${key} ${now}`)));
}

/** From 0 to 1, the same for the same text. */
function fraction(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  }
  return (hash >>> 0) / 2 ** 32;
}
