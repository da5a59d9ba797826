/** Texts as Go's `%q` writes them, for lines that equal those of the existing server. */

const NAMED: Readonly<Record<string, string>> = {
  ...{ "\x07": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" },
  ...{ "\v": "\\v", "\\": "\\\\", '"': '\\"' },
};

export const goQuoted = (text: string): string =>
  `"${[...text.toWellFormed()].map((each) => NAMED[each] ?? shown(each)).join("")}"`;

/** `'x'`. */
export function goCharacter(character: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${goQuoted(character).slice(1, -1)}'`;
}

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code > 0x7f && /[\p{C}\p{Z}]/u.test(character))
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  return character;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
