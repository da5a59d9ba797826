import test from "ava";
import { toAscii } from "./ascii.js";
import { axisChart, bar, brailleArea, gauge, scaleTop, sparkline } from "./charts.js";

const lines: ReadonlyArray<readonly [points: readonly number[], width: number, shown: string]> = [
  [[0, 1, 2, 3, 4, 5, 6, 7], 8, "▁▂▃▄▅▆▇█"],
  [[0, 0, 0], 3, "▁▁▁"],
  [[], 3, "   "],
  [[5], 3, "  █"],
  [[1, 2, 3, 4], 2, "▆█"],
  [[-3, 4], 2, "▁█"],
  [[1, 2], 0, ""],
];

for (const [points, width, shown] of lines) {
  test(`a sparkline of [${points.join(", ")}] in ${width} cells is "${shown}"`, (t) => {
    t.is(sparkline(points, width), shown);
  });
}

test("an area has two points a cell and four steps a row, the newest at the right", (t) => {
  t.deepEqual(brailleArea([1, 2, 3, 4, 5, 6, 7, 8], { width: 4, height: 2 }), ["  ⣠⣾", "⣠⣾⣿⣿"]);
  t.deepEqual(brailleArea([8], { width: 2, height: 1 }), [" ⢸"]);
  t.deepEqual(brailleArea([], { width: 2, height: 1 }), ["  "]);
});

test("what is more than nothing is seen, beside anything", (t) => {
  t.deepEqual(brailleArea([1, 1_000_000], { width: 1, height: 2 }), ["⢸", "⣸"]);
  t.deepEqual(brailleArea([0, 0], { width: 1, height: 1, top: 9 }), [" "]);
});

test("areas that share a top can be compared", (t) => {
  t.deepEqual(brailleArea([2, 2], { width: 1, height: 1, top: 4 }), ["⣤"]);
});

test("a bar is filled to its share, and never beyond", (t) => {
  t.is(bar(0.5, 8), "████░░░░");
  t.is(bar(7, 4), "████");
  t.is(bar(-1, 4), "░░░░");
});

test("without Unicode everything is ASCII, and as wide as it was", (t) => {
  t.is(toAscii("● ▁█ ⣿ a…b"), "* _# # a~b");
  t.is(toAscii("日本"), "????");
  t.is(toAscii("\u001b[1mbold\u001b[22m"), "\u001b[1mbold\u001b[22m");
});

const plainly = { paint: (_: unknown, text: string) => text };

test("a chart has a scale above its peak on the left, and times below", (t) => {
  const chart = {
    series: [{ points: [0, 8, 12], role: "s1" as const }],
    label: (value: number) => `${value}/s`,
    since: "1m ago",
  };
  t.deepEqual(axisChart(chart, { width: 27, height: 6 }, plainly), [
    " 20/s┤                    ",
    "     │                   ⢠",
    " 10/s┤                   ⣼",
    "     │                   ⣿",
    "    0└─────┴────┴────┴────",
    "      1m ago           now",
  ]);
});

test("a series has its own role where it is more than nothing", (t) => {
  const painted = { paint: (role: unknown, text: string) => `<${role}:${text}>` };
  const chart = {
    series: [
      { points: [4, 4, 4, 4], role: "s2" as const },
      { points: [0, 0, 4, 0], role: "denied" as const },
    ],
    label: String,
    since: "now",
  };
  const [top = "", bottom = ""] = axisChart(chart, { width: 9, height: 4 }, painted);
  t.regex(top, /<denied:⡄>$/);
  t.regex(bottom, /<s2:⣶><denied:⣷>$/);
});

for (const [peak, top] of [
  [0, 1],
  [1, 1],
  [1.1, 2],
  [2.2, 2.5],
  [3, 5],
  [6, 10],
  [12, 20],
  [240, 250],
  [0.03, 0.05],
] as const)
  test(`the top of a scale for ${peak} is ${top}`, (t) => {
    t.is(Number(scaleTop(peak).toPrecision(6)), top);
  });

test("a gauge is filled to its share, and never beyond", (t) => {
  t.is(gauge(0.5, 8), "▰▰▰▰▱▱▱▱");
  t.is(gauge(3, 2), "▰▰");
  t.is(gauge(-1, 2), "▱▱");
});
