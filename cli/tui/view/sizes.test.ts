/**
 * Pictures of screens at five sizes, in `cases/`, to be read: `UPDATE_CASES=1` writes them. What must hold at every size is
 * checked for all screens.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import type { ScreenId } from "../../plugin-api/screen.js";
import { busyModel as model } from "../testing/busy-model.js";
import { screens } from "../testing/screens.js";
import { firstUi, type Ui, withState } from "../ui/ui.js";
import { frame } from "./frame.js";
import { plainTheme } from "./theme.js";

const CASES = join(
  fileURLToPath(new URL(".", import.meta.url)).replace(/([/\\])dist[/\\]/, "$1"),
  "cases",
);

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 60],
  [250, 80],
] as const;

const ui = (screen: ScreenId, state: Parameters<typeof withState>[1] = {}): Ui =>
  withState(firstUi(screen, false), state);
const open = model.run?.id ?? "";

const shots: Readonly<Record<string, Ui>> = {
  overview: ui("overview"),
  hooks: ui("hooks"),
  runs: ui("hooks", { tab: 1 }),
  run: ui("hooks", { tab: 1, open, selected: open }),
  config: ui("config"),
  logs: ui("logs"),
};

const drawn = (shown: Ui, width: number, height: number): readonly string[] =>
  frame({ model, ui: shown, theme: plainTheme, screens }, { width, height });

for (const [name, shown] of Object.entries(shots)) {
  for (const [width, height] of SIZES) {
    test(`${name} at ${width}×${height} looks as its picture`, (t) => {
      const lines = drawn(shown, width, height);
      const picture = `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
      const file = join(CASES, `${name}-${width}x${height}.txt`);
      if (process.env.UPDATE_CASES) {
        mkdirSync(CASES, { recursive: true });
        writeFileSync(file, picture);
      }
      t.is(picture, readFileSync(file, "utf8"));
    });

    test(`${name} at ${width}×${height} has no blank third`, (t) => {
      if (width < 140) return t.pass("one column has no thirds");
      const lines = drawn(shown, width, height).slice(2, -1);
      for (const third of [0, 1, 2]) {
        const from = Math.floor((width * third) / 3);
        const parts = lines.map((line) => line.slice(from, from + Math.floor(width / 3)));
        const used = parts.filter((part) => /[^\s│┃╭╮╰╯┏┓┗┛─━]/.test(part)).length;
        t.true(used >= 6, `${used} of ${lines.length} lines of third ${third + 1}`);
      }
      return undefined;
    });
  }
}

for (const { id, tabs = [""] } of screens) {
  for (const [width, height] of SIZES) {
    test(`${id} at ${width}×${height} has the verdict, the hints and whole words`, (t) => {
      for (const tab of tabs.keys()) {
        const lines = drawn(ui(id, { tab }), width, height);
        t.regex(lines[0] ?? "", /failing|to look at/);
        t.regex(lines.at(-1) ?? "", /\? help {2}q quit/);
        // A title of a panel or list is cut only where it has no room at all.
        const names = lines.filter((line) => /^(?:[╭┏][─━] )/.test(line)).join("\n");
        t.notRegex(names, /^[╭┏][─━] [^─━]{0,20}…/m);
      }
    });
  }
}
