/** Suggests the intended name for an unknown one. */

/** Edits between two words; two neighbours swapped are one edit. */
function distance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** The nearest of the names, or the only one that has all parts of the word. */
export function suggestKey(written: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  const word = snakeCase(written);
  const exact = all.find((name) => snakeCase(name) === word);
  if (exact !== undefined) return exact;
  const limit = Math.max(2, Math.floor(word.length / 4));
  const [best] = all
    .map((name) => ({ name, far: distance(word, snakeCase(name)) }))
    .filter(({ far }) => far <= limit && far < word.length)
    .sort((a, b) => a.far - b.far);
  return best?.name ?? byParts(word, all);
}

/** `camelCase` and `kebab-case` are the same name. */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** `skip_std_refs` has the parts of `skip_std_references`; the shortest name that has them all is meant. */
function byParts(word: string, names: readonly string[]): string | undefined {
  const parts = word.split("_").filter((part) => part.length >= 3);
  if (parts.length < 2) return undefined;
  const [best] = names
    .filter((name) => {
      const own = snakeCase(name).split(/[_.]/);
      return parts.every((part) => own.some((each) => shortens(part, each)));
    })
    .sort((a, b) => a.length - b.length);
  return best;
}

/** Whether the letters of `short` are in `long`, in order, from its first on. */
function shortens(short: string, long: string): boolean {
  if (short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}
