/** Numbers of a version in a requirement, in the form of the version that they replace. */

/** The next version with as many significant numbers: `<2.0.0` becomes `<4.0.0` for 3.1.0, `<1.5` becomes `<1.7` for 1.6.2. */
export function nextBound(old: readonly number[], to: readonly number[]): readonly number[] {
  const last = Math.max(
    0,
    old.findLastIndex((number) => number !== 0),
  );
  return old.map((_, position) =>
    position > last ? 0 : (to[position] ?? 0) + (position === last ? 1 : 0),
  );
}

/** As many numbers of `to` as the old version has, with the old wildcards. */
export function numbersLike(old: readonly string[], to: string): string {
  const numbers = to.split(/[-+]/)[0]?.split(".") ?? [];
  return old
    .map((part, position) => (/^[xX*]/.test(part) ? part : (numbers[position] ?? "0")))
    .join(".");
}
