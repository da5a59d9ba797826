/** Lines of the dashboard as they are read aloud: words for signs, commas for gaps, no drawings. */
import { stripVTControlCharacters } from "node:util";

const WORDS: Readonly<Record<string, string>> = {
  ...{ "✓": "ok", "●": "running", "○": "waiting", "✗": "failed", "◷": "timed out" },
  ...{ "⊘": "denied", "–": "cancelled", "▲": "warning", "‖": "paused", "◆": "changed" },
};
/** Bars, dots and edges; an arrow between two versions stays. */
const DRAWN = /[\u2500-\u25a0\u25ae-\u25b1\u2800-\u28ff▌]+/g;
/** A timeline, and the times below it. */
const STRIP = /[·▂▃▅▇✓●○✗◷⊘–▲‖◆]{6,}/g;
const TIMES = /^(?:\d\d:\d\d(?:, |$))+$/;
const SIGN = /(^|\s)([✓●○✗◷⊘–▲‖◆])(?=\s)/g;

/** `undefined` where nothing is left to say. */
export function spoken(line: string): string | undefined {
  const bare = stripVTControlCharacters(line).replace(
    SIGN,
    (_, before: string, sign: string) => before + (WORDS[sign] ?? "") + (WORDS[sign] ? ":" : ""),
  );
  const text = bare
    .replace(STRIP, "  ")
    .replaceAll(" · ", ", ")
    .replace(DRAWN, "  ")
    .trim()
    .replace(/\s{2,}/g, ", ")
    // A state that follows its own sign is said once.
    .replace(/\b([a-z]+(?: [a-z]+)?): \1\b/g, "$1")
    .replace(/^[,.\s·]+$/, "");
  return text === "" || /^[\s,·:]*$/.test(text) || TIMES.test(text) ? undefined : text;
}

export const spokenLines = (lines: readonly string[]): readonly string[] =>
  lines.map(spoken).filter((line) => line !== undefined);
