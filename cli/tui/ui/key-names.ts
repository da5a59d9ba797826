/** Keys as the key map names them. */
import type { Key } from "ink";

type Special = Exclude<keyof Key, "ctrl" | "shift" | "meta" | "super" | "hyper" | "eventType">;

const NAMES: ReadonlyArray<readonly [Special, string]> = [
  ["upArrow", "↑"],
  ["downArrow", "↓"],
  ["leftArrow", "←"],
  ["rightArrow", "→"],
  ["pageUp", "PgUp"],
  ["pageDown", "PgDn"],
  ["home", "Home"],
  ["end", "End"],
  ["return", "Enter"],
  ["escape", "Esc"],
  ["backspace", "Backspace"],
  // What many terminals send for the key that is called Backspace.
  ["delete", "Backspace"],
];

/** Several where more than one key came at once, as with a paste or over a slow line. */
export function keysOf(input: string, key: Partial<Key>): readonly string[] {
  if (key.tab) return [key.shift ? "Shift+Tab" : "Tab"];
  const special = NAMES.find(([name]) => key[name]);
  if (special) return [special[1]];
  if (key.ctrl) return [`ctrl+${input.toLowerCase()}`];
  return Array.from(input, (character) => CHARACTERS[character] ?? character).filter(isKey);
}

const CHARACTERS: Readonly<Record<string, string>> = {
  " ": "Space",
  "\r": "Enter",
  "\n": "Enter",
  "\t": "Tab",
  "\u001b": "Esc",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out.
const isKey = (name: string): boolean => !/[\u0000-\u001f\u007f]/.test(name);
