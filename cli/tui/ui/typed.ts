/** Keys that edit a text: a filter, or a name in the palette. */
import type { Screens } from "../../plugin-api/screen.js";
import { paletteEntries } from "./palette.js";
import { forget, type Mode, type Ui, withState } from "./ui.js";

type Writing = Extract<Mode, { readonly kind: "filter" | "palette" }>;
export type Typed = { readonly ui: Ui } | { readonly ui: Ui; readonly action: string };

export function typed(ui: Ui, mode: Writing, key: string, screens: Screens): Typed {
  const browsing: Ui = { ...ui, mode: { kind: "browse" } };
  if (key === "Enter")
    return mode.kind === "palette" ? choosePaletteEntry(browsing, mode, screens) : { ui: browsing };
  if (key === "Esc") {
    return { ui: mode.kind === "filter" ? withState(browsing, { filter: mode.before }) : browsing };
  }
  if (mode.kind === "palette" && (key === "↓" || key === "Tab"))
    return { ui: choose(ui, mode, 1, screens) };
  if (mode.kind === "palette" && (key === "↑" || key === "Shift+Tab"))
    return { ui: choose(ui, mode, -1, screens) };
  if (key === "Backspace" && mode.text === "") return { ui: browsing };
  // A second `/` right after the first looks in everything instead of this list.
  if (mode.kind === "filter" && key === "/" && mode.text === mode.before) {
    return { ui: { ...browsing, mode: { kind: "find", text: "", chosen: 0 } } };
  }
  const text = editedText(mode.text, key);
  return {
    ui:
      mode.kind === "palette"
        ? { ...ui, mode: { ...mode, text, chosen: 0 } }
        : filtered(ui, mode, text),
  };
}

function filtered(ui: Ui, mode: Extract<Mode, { kind: "filter" }>, text: string): Ui {
  const next: Ui = { ...ui, mode: { ...mode, text } };
  return withState(forget(next, "selected"), { filter: text, index: 0 });
}

const ARROWS: readonly string[] = ["↑", "↓", "←", "→"];

export function editedText(text: string, key: string): string {
  if (key === "Backspace") return Array.from(text).slice(0, -1).join("");
  if (key === "ctrl+u") return "";
  if (key === "ctrl+w") return text.replace(/\S+\s*$/, "");
  if (key === "Space") return `${text} `;
  return Array.from(key).length === 1 && !ARROWS.includes(key) ? text + key : text;
}

function choose(
  ui: Ui,
  mode: Extract<Mode, { kind: "palette" }>,
  step: number,
  screens: Screens,
): Ui {
  const size = paletteEntries(ui, mode.text, screens).length;
  const chosen = size === 0 ? 0 : (mode.chosen + step + size) % size;
  return { ...ui, mode: { ...mode, chosen } };
}

function choosePaletteEntry(
  ui: Ui,
  { text, chosen }: Extract<Mode, { kind: "palette" }>,
  screens: Screens,
): Typed {
  const does = paletteEntries(ui, text, screens)[chosen]?.does;
  if (does === undefined) {
    return { ui: { ...ui, notice: { text: `There is nothing called \`${text}\`.`, bad: true } } };
  }
  return "screen" in does ? { ui: { ...ui, screen: does.screen } } : { ui, action: does.action };
}
