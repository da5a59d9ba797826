/** The end of the keys that begin with `prefix`, exclusive; `undefined` where there is none. In UTF-8 order, as SQLite compares. */
export function endOf(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    // Surrogates are no characters: the one after U+D7FF is U+E000.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    if (next <= 0x10ffff) return String.fromCodePoint(...points, next);
  }
  return undefined;
}
