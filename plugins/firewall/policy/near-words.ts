/** Whether two words differ by one inserted, deleted, changed or swapped letter. */
export function atMostOneEdit(one: string, other: string): boolean {
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let until = 0;
  const shorter = Math.min(one.length, other.length);
  while (until < shorter - from && one.at(-1 - until) === other.at(-1 - until)) until++;
  const left = one.slice(from, one.length - until);
  const right = other.slice(from, other.length - until);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left === `${right[1]}${right[0]}`;
}
