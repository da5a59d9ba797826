/** Fuzzy matching: the letters of a query in their order, better where they start words or follow each other. */

/** Characters of a text that are looked at. */
const MOST = 120;

const POINTS = { letter: 1, neighbor: 9, wordStart: 8, start: 4, gap: -0.2 } as const;

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** `undefined` where a letter is missing. Case does not matter; a text that is the query has the most points. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase();
  const given = text.slice(0, MOST).toLowerCase();
  if (wanted === "") return 0;
  if (!isSubsequence(wanted, given)) return undefined;
  const exact = given === wanted ? wanted.length * 10 : 0;
  return bestPlacement(wanted, given) + exact - given.length * 0.05;
}

function isSubsequence(wanted: string, given: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = given.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** One row a letter of the query: the most points with that letter at each position of the text. */
function bestPlacement(wanted: string, given: string): number {
  let before: readonly number[] | undefined;
  for (const letter of wanted) {
    // The best earlier placement that does not end right before, less a little for each skipped letter.
    let apart = before === undefined ? 0 : Number.NEGATIVE_INFINITY;
    before = Array.from({ length: given.length }, (_, at) => {
      const adjacent = before === undefined ? 0 : (before[at - 1] ?? Number.NEGATIVE_INFINITY);
      const most = Math.max(adjacent + (before ? POINTS.neighbor : 0), apart);
      apart = Math.max(apart, adjacent) + (before ? POINTS.gap : 0);
      return given[at] === letter ? most + pointsAt(given, at) : Number.NEGATIVE_INFINITY;
    });
  }
  return Math.max(...(before ?? []));
}

function pointsAt(given: string, at: number): number {
  if (at === 0) return POINTS.letter + POINTS.wordStart + POINTS.start;
  const startsWord = isWord(given[at]) && !isWord(given[at - 1]);
  return POINTS.letter + (startsWord ? POINTS.wordStart : 0);
}
