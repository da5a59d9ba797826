/** Names for records: short enough to type, and in the order in which they were made. */
import { randomFillSync } from "node:crypto";

const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Makes 20-character ids: 10 of time, 4 of a counter within the millisecond, 6 of chance.
 * Each is greater than the one before, and than `last`, even where the clock goes backwards.
 */
export function idMaker(now: () => number, last?: string): () => string {
  let time = last === undefined ? 0 : decode(last.slice(0, 10)) + 1;
  let count = 0;
  /** The letters of `time`, which stays what it is for many. */
  let latest = { time, letters: encode(time, 10) };
  return () => {
    const current = now();
    if (current > time) {
      time = current;
      count = 0;
    } else if (++count >= 32 ** 4) {
      time += 1;
      count = 0;
    }
    if (latest.time !== time) latest = { time, letters: encode(time, 10) };
    return latest.letters + encode(count, 4) + chance(6);
  };
}

function encode(value: number, width: number): string {
  let text = "";
  for (let left = value; text.length < width; left = Math.floor(left / 32)) {
    text = (letters[left % 32] ?? "") + text;
  }
  return text;
}

function decode(text: string): number {
  return [...text].reduce((value, letter) => value * 32 + Math.max(letters.indexOf(letter), 0), 0);
}

/** Got in portions: asking for it costs more than what is got. */
const portion = Buffer.alloc(1536);
let used = portion.length;

function chance(width: number): string {
  if (used + width > portion.length) {
    randomFillSync(portion);
    used = 0;
  }
  let text = "";
  for (let left = width; left > 0; left -= 1) {
    text += letters[(portion[used] ?? 0) % 32];
    used += 1;
  }
  return text;
}
