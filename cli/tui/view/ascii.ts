/** For terminals that show nothing but ASCII: every other character becomes one that stands for it. */
import { terminalWidth } from "../../../grammar/rendering/width.js";

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ...Array.from("▁▂▃▄▅▆▇█", (level, index): [string, string] => [level, "_.-:=+*#".charAt(index)]),
  ...Object.entries({ "✗": "x", "▲": "!", "●": "*", "○": "o", "…": "~", "·": ".", "→": ">" }),
  ...Object.entries({ "✓": "v", "◷": "T", "⊘": "D", "–": "-", "‖": "=", "◆": "+" }),
  ...Array.from("╭╮╰╯┏┓┗┛┌┐└┘├┤┬┴┼", (corner): [string, string] => [corner, "+"]),
  ...Object.entries({ "━": "=", "┃": "|", "▮": "#", "▰": "#", "▱": "." }),
  ...Object.entries({ "│": "|", "─": "-", "▌": ">", "↑": "^", "↓": "v", "░": ".", "▒": ":" }),
]);

/** As wide as it was, escape sequences untouched. */
export function toAscii(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
  return line.replace(/[^\u0000-\u007e]/gu, (character) => {
    const braille = brailleDots(character);
    if (braille !== undefined) return " .:-=+*##".charAt(braille);
    return INSTEAD.get(character) ?? "?".repeat(terminalWidth(character));
  });
}

function brailleDots(character: string): number | undefined {
  const code = (character.codePointAt(0) ?? 0) - 0x2800;
  if (code < 0 || code > 0xff) return undefined;
  return code.toString(2).replaceAll("0", "").length;
}
