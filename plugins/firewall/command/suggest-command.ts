/** A command of awf's own that was mistyped runs as a program, which is then not there. */

/** What may be meant, and how it is called. */
const own: ReadonlyMap<string, string> = new Map([
  ["logs", "awf logs"],
  ["doctor", "awf doctor"],
  ["stats", "awf logs stats"],
  ["summary", "awf logs summary"],
  ["audit", "awf logs audit"],
]);

/** The command of awf that was probably meant by `awf WORD …`. Undefined where options or `--` show that a program was. */
export function suggestCommand(argv: readonly string[]): string | undefined {
  const [word = ""] = argv;
  for (const [name, call] of own) if (atMostOneEdit(word, name)) return call;
  return undefined;
}

/** Whether one letter more, less, changed, or two neighbours swapped make the two the same. */
function atMostOneEdit(one: string, other: string): boolean {
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let until = 0;
  const shorter = Math.min(one.length, other.length);
  while (until < shorter - from && one.at(-1 - until) === other.at(-1 - until)) until++;
  const left = one.slice(from, one.length - until);
  const right = other.slice(from, other.length - until);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === `${right[1]}${right[0]}`;
}
