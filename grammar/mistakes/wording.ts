/** How pieces of the user's text are named inside a sentence. */

const LONGEST = 40;

/** A piece of text in backticks: shortened, on one line, with nothing in it that could move the cursor. */
export function code(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  return `\`${short.toWellFormed().replace(UNPRINTABLE, visible)}\``;
}

/** A hole of a string, as sentences name it. */
export const INTERPOLATION = `\`\${…}\``;

/** A character as its name in the Unicode notation: `U+00A0`. */
export function codePoint(text: string, position: number): string {
  const value = text.codePointAt(position) ?? 0;
  return `U+${value.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Controls, invisible formatting (bidirectional marks included), lone surrogates, unusual spaces. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function visible(character: string): string {
  return character === "\t" ? " " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
