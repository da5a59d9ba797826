/** "Did you mean": the known word that a mistyped one is nearest to. */

/**
 * The candidate most likely meant by `word`; undefined when none is near enough to be worth a guess.
 * Near is: equal but for case and separators, a few slips of the keyboard (Damerau-Levenshtein, at most a third of the
 * longer word and never more than three), or made of the same parts (`timeout_seconds` and `timeout`).
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly cost: number } | undefined;
  for (const candidate of candidates) {
    if (candidate === word) continue;
    const cost = distance(word, candidate);
    if (cost !== undefined && (best === undefined || cost < best.cost)) best = { candidate, cost };
  }
  return best?.candidate;
}

/** Lower is nearer; undefined is too far. */
function distance(word: string, candidate: string): number | undefined {
  const left = flat(word);
  const right = flat(candidate);
  if (left === right) return 0;
  const longer = Math.max(left.length, right.length);
  const allowed = Math.min(3, Math.floor(longer / 3));
  if (Math.abs(left.length - right.length) <= allowed) {
    const slips = damerauLevenshtein(left, right);
    if (slips <= allowed) return slips;
  }
  return sharesParts(word, candidate) ? 4 : undefined;
}

function flat(word: string): string {
  return word.toLowerCase().replace(/[_\-. ]/g, "");
}

/** Whether all parts of the one are among the parts of the other; parts of one or two letters do not count. */
function sharesParts(word: string, candidate: string): boolean {
  const left = parts(word);
  const right = parts(candidate);
  const [fewer, more] = left.length <= right.length ? [left, right] : [right, left];
  return fewer.length > 0 && fewer.every((part) => more.includes(part));
}

function parts(word: string): readonly string[] {
  return word
    .toLowerCase()
    .split(/[_\-. ]/)
    .filter((part) => part.length > 2);
}

/** Insertions, deletions, substitutions and swaps of neighbours (each pair at most once). */
function damerauLevenshtein(left: string, right: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[right.length] ?? 0;
}
