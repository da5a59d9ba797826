import test from "ava";
import { stateLook } from "../../print/states.js";
import { toAscii } from "./ascii.js";
import { widthOf } from "./lines.js";
import { type ColourDepth, createTheme } from "./theme.js";
import { builtInTheme, type ThemeDefinition } from "./themes.js";

const night = builtInTheme("night") as ThemeDefinition;
const at = (depth: ColourDepth) => createTheme(night, { depth, unicode: true });

const depths: ReadonlyArray<readonly [ColourDepth, fail: string, selected: string]> = [
  [24, "\u001b[38;2;255;128;120mx\u001b[39m", "\u001b[48;2;34;54;79mx\u001b[49m"],
  [8, "\u001b[38;5;210mx\u001b[39m", "\u001b[48;5;236mx\u001b[49m"],
  [4, "\u001b[1m\u001b[91mx\u001b[39m\u001b[22m", "\u001b[7mx\u001b[27m"],
  [1, "\u001b[1m\u001b[4mx\u001b[24m\u001b[22m", "\u001b[7mx\u001b[27m"],
  [0, "x", "x"],
];
for (const [depth, fail, selected] of depths) {
  test(`roles with ${depth} bits of colour`, (t) => {
    const { paint } = at(depth);
    t.is(paint("fail", "x"), fail);
    t.is(paint("selected", "x"), selected);
    t.is(paint("red", "x"), fail, "a package that names a colour means a role");
    t.is(paint("fail", ""), "");
  });
}

test("a colour inside another one ends where it ends", (t) => {
  const { paint } = at(8);
  const [ok, fail] = [paint("ok", "|"), paint("fail", "|")].map((text) => text.split("|")[0]);
  t.is(paint("fail", `a${paint("ok", "b")}c`), `${fail}a${ok}b${fail}c\u001b[39m`);
});

test("a line lies on the background, also after a selected text", (t) => {
  const theme = at(24);
  const ground = "\u001b[48;2;16;20;27m";
  const line = theme.fill(`a${theme.paint("selected", "b")}c`);
  t.true(line.startsWith(ground));
  t.true(line.includes(`b${ground}`));
  t.true(line.endsWith("\u001b[49m"));
  const bare = createTheme(night, { depth: 24, unicode: true, background: false });
  t.is(bare.fill("a"), "a");
  t.is(at(4).fill("a"), "a");
});

const states: Readonly<Record<string, readonly [sign: string, ascii: string, role: string]>> = {
  succeeded: ["✓", "v", "ok"],
  healthy: ["✓", "v", "ok"],
  running: ["●", "*", "running"],
  queued: ["○", "o", "queued"],
  failed: ["✗", "x", "fail"],
  quarantined: ["✗", "x", "fail"],
  timed_out: ["◷", "T", "warn"],
  denied: ["⊘", "D", "denied"],
  rejected: ["⊘", "D", "denied"],
  cancelled: ["–", "-", "dim"],
  skipped: ["–", "-", "dim"],
  degraded: ["▲", "!", "warn"],
  probation: ["▲", "!", "warn"],
  backoff: ["▲", "!", "warn"],
  paused: ["‖", "=", "warn"],
  changed: ["◆", "+", "accent"],
  "of another plugin": ["○", "o", "dim"],
};
for (const [state, [sign, ascii, role]] of Object.entries(states)) {
  test(`${state} has its sign and its role`, (t) => {
    const look = stateLook(state);
    t.deepEqual([look.sign, look.role], [sign, role]);
    t.is(toAscii(sign), ascii);
    t.is(widthOf(sign), 1);
  });
}
