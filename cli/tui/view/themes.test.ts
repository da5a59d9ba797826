/** What every theme promises: contrast in all colours and in 256. */
import test from "ava";
import { luminance, nearest, type Rgb, rgbOf, xterm } from "./colours.js";
import { THEMES, type ThemeColours, type ThemeDefinition } from "./themes.js";

type Name = keyof ThemeColours;
const TEXTS: readonly Name[] = [
  ...(["text", "dim", "accent", "ok", "running", "queued", "warn", "fail", "denied"] as const),
];
const SHAPES: readonly Name[] = ["rule", "s1", "s2", "s3", "s4", "s5", "s6"];

function ratio(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const full = ({ colours }: ThemeDefinition, name: Name): Rgb => rgbOf(colours[name]);
const indexed = ({ colours, indexed: own }: ThemeDefinition, name: Name): Rgb =>
  xterm(own?.[name] ?? nearest(rgbOf(colours[name])));

for (const theme of THEMES) {
  for (const [depth, shown] of [
    ["all colours", full],
    ["256 colours", indexed],
  ] as const) {
    test(`${theme.name} in ${depth} has enough contrast`, (t) => {
      const weak = [
        ...TEXTS.flatMap((name) =>
          (["background", "selected"] as const).map((on) => ({ name, on, least: 4.5 })),
        ),
        ...SHAPES.map((name) => ({ name, on: "background" as const, least: 3 })),
      ].filter(({ name, on, least }) => ratio(shown(theme, name), shown(theme, on)) < least);
      t.deepEqual(weak, []);
    });
  }
}

test("a ratio is what WCAG says it is", (t) => {
  t.is(ratio([0, 0, 0], [255, 255, 255]), 21);
  t.is(ratio([119, 119, 119], [255, 255, 255]).toFixed(2), "4.48");
});

test("the nearest of 256 colours is itself, where it is one", (t) => {
  for (let index = 16; index < 256; index += 1) {
    t.deepEqual(xterm(nearest(xterm(index))), xterm(index));
  }
});

/** Viénot, Brettel and Mollon 1999: what is left of a colour without the cones for green. */
function withoutGreen(colour: Rgb): Rgb {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => (part / 255) ** 2.2);
  const yellow = 0.29275 * red + 0.70725 * green;
  const rest = -0.02234 * red + 0.02234 * green + blue;
  return [yellow, yellow, rest].map(
    (part) => 255 * Math.max(0, Math.min(1, part)) ** (1 / 2.2),
  ) as unknown as Rgb;
}

/** ΔE of 1976, over CIE L*a*b*. */
function difference(one: Rgb, other: Rgb): number {
  const lab = (colour: Rgb) => {
    const [r = 0, g = 0, b = 0] = colour.map((part) => (part / 255) ** 2.2);
    const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const [a, b] = [lab(one), lab(other)];
  return Math.hypot(...a.map((part, index) => part - (b[index] ?? 0)));
}

test("`clear` keeps success and failure apart without the cones for green", (t) => {
  const apart = (theme: ThemeDefinition) =>
    difference(withoutGreen(full(theme, "ok")), withoutGreen(full(theme, "fail")));
  const clear = THEMES.find(({ name }) => name === "clear");
  t.true(clear !== undefined && apart(clear) > 60);
  t.true(
    THEMES.every((theme) => clear !== undefined && apart(theme) <= apart(clear)),
    "and no other theme does it better",
  );
});
