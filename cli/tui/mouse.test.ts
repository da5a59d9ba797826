/** The mouse: reports of the terminal, zones under the pointer, and what a press does there. */
import test from "ava";
import fc from "fast-check";
import type { Effect } from "../plugin-api/screen.js";
import { MouseReports, withoutReports } from "./mouse.js";
import { model } from "./testing/model.js";
import { screens } from "./testing/screens.js";
import { point } from "./ui/point.js";
import { press } from "./ui/press.js";
import { firstUi, stateOf, type Ui, withState } from "./ui/ui.js";
import { frame, roomOf } from "./view/frame.js";
import { plainTheme } from "./view/theme.js";
import { markingTheme, zoneAt } from "./view/zones.js";

const ESC = "\u001b";

const reports: ReadonlyArray<readonly [text: string, keys: string, held: string, seen: string]> = [
  [`${ESC}[<0;5;7M`, "", "", "press 4,6"],
  [`j${ESC}[<0;1;1M${ESC}[<0;1;1mk`, "jk", "", "press 0,0"],
  [`${ESC}[<64;9;9M${ESC}[<65;9;9M`, "", "", "wheelUp 8,8 wheelDown 8,8"],
  [`${ESC}[<4;2;2M`, "", "", "press 1,1"],
  [`${ESC}[<2;2;2M${ESC}[<35;2;2M${ESC}[<0;0;0M`, "", "", ""],
  [`j${ESC}[<0;1`, "j", `${ESC}[<0;1`, ""],
  [`${ESC}[`, "", `${ESC}[`, ""],
  [`${ESC}[A`, `${ESC}[A`, "", ""],
  [`${ESC}[<0;99999999;1M`, `${ESC}[<0;99999999;1M`, "", ""],
];
for (const [text, keys, held, seen] of reports) {
  test(`of ${JSON.stringify(text)} the keys are left, and ${seen || "nothing"} is seen`, (t) => {
    const { events, ...rest } = withoutReports(text);
    t.deepEqual(rest, { keys, held });
    t.is(events.map(({ kind, column, line }) => `${kind} ${column},${line}`).join(" "), seen);
  });
}

test("a report that comes in two parts is whole, wherever it is cut", (t) => {
  const text = `j${ESC}[<65;120;33Mk`;
  for (let at = 3; at < text.length; at += 1) {
    const first = withoutReports(text.slice(0, at));
    const second = withoutReports(first.held + text.slice(at));
    t.is(first.keys + second.keys, "jk");
    t.is(first.events.length + second.events.length, 1);
  }
});

test("other text stays as it is", (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."[<;0M\u001bjq") }), (text) => {
      const { keys, held, events } = withoutReports(text);
      t.is(events.length > 0 || keys + held === text, true);
      t.true(held.length < 24);
    }),
  );
});

test("reports are turned on once, and off again", (t) => {
  const written: string[] = [];
  const mouse = new MouseReports((text) => written.push(text));
  const listening = process.listenerCount("SIGTERM");
  mouse.on();
  mouse.on();
  t.is(process.listenerCount("SIGTERM"), listening + 1);
  mouse.off();
  mouse.off();
  t.deepEqual(written, [`${ESC}[?1000h${ESC}[?1006h`, `${ESC}[?1006l${ESC}[?1000l`]);
  t.is(process.listenerCount("SIGTERM"), listening);
});

const size = { width: 120, height: 30 };

/** Presses where a text is seen on the screen. */
function pressed(ui: Ui, text: string, isDouble = false, at = size) {
  const contents = { model, ui, screens, theme: plainTheme };
  const seen = frame(contents, at);
  const line = seen.findIndex((each) => each.includes(text));
  const marked = frame({ ...contents, theme: markingTheme(plainTheme) }, at);
  const zone = zoneAt(marked[line] ?? "", seen[line]?.indexOf(text) ?? 0);
  const context = { model, screens, theme: plainTheme, ...roomOf(model, ui, at) };
  return { zone, ...point(ui, { kind: "press" }, zone, context, isDouble) };
}

const start = firstUi("hooks", false);
const typed = (keys: string): Ui =>
  keys.split(" ").reduce((ui, key) => {
    const context = { model, screens, theme: plainTheme, ...roomOf(model, ui, size) };
    return press(ui, key, context).ui;
  }, start);

test("what is marked looks the same", (t) => {
  for (const ui of [start, typed("?"), typed(":"), typed("/ / d"), typed("t Enter")]) {
    for (const width of [50, 80, 120, 200]) {
      const contents = { model, ui, screens, theme: plainTheme };
      const marked = frame(
        { ...contents, theme: markingTheme(plainTheme) },
        { width, height: 30 },
      ).map((line) =>
        // biome-ignore lint/suspicious/noControlCharactersInRegex: marks begin with one.
        line.replace(/\u001b\]7777;[^\u001b]*\u001b\\/g, ""),
      );
      t.deepEqual(
        marked.map((line) => line.trimEnd()),
        frame(contents, { width, height: 30 }).map((line) => line.trimEnd()),
      );
    }
  }
});

test("a press on a name opens its screen, at every width", (t) => {
  t.is(pressed(start, "7 Config").ui.screen, "config");
  for (const width of [60, 80]) {
    t.is(pressed(start, "3 Upd", false, { width, height: 20 }).ui.screen, "updates");
  }
  const narrow = { model, ui: start, screens, theme: markingTheme(plainTheme) };
  const [, names = ""] = frame(narrow, { width: 44, height: 20 });
  t.deepEqual(
    Array.from({ length: 10 }, (_, column) => zoneAt(names, column)).join(" "),
    "screen:overview screen:overview screen:overview screen:hooks screen:hooks screen:hooks screen:hooks screen:hooks screen:hooks screen:hooks",
  );
});

test("a press on a row chooses it, a double press opens it", (t) => {
  t.is(stateOf(pressed(start, "build").ui).selected, "build");
  const runs = withState(start, { tab: 1 });
  const chosen = pressed(runs, "hook.build").ui;
  t.is(stateOf(chosen).selected, "r-0002");
  t.is(stateOf(chosen).open, undefined);
  t.is(stateOf(pressed(chosen, "hook.build", true).ui).open, "r-0002");
});

test("a press on the name of a list shows it, on a title sorts by it, then the other way round", (t) => {
  const runs = pressed(start, "Runs").ui;
  t.is(stateOf(runs).tab, 1);
  const sorted = pressed(runs, "WHAT").ui;
  t.is(stateOf(sorted).sort, 1);
  t.true(stateOf(pressed(sorted, "WHAT").ui).reverse);
});

test("a press on a hint is its key", (t) => {
  t.is(pressed(start, "? help").ui.mode.kind, "help");
  t.deepEqual(pressed(start, "q quit").effect, { kind: "quit" });
  t.is(pressed(start, "replay").ui.mode.kind, "confirm");
});

test("a question is answered by its own words only", (t) => {
  const question = typed("r");
  t.is(question.mode.kind, "confirm");
  const effects = (text: string): Effect | undefined => pressed(question, text).effect;
  t.is(effects("y: yes")?.kind, "screen");
  t.is(pressed(question, "any other key: no").ui.mode.kind, "browse");
  for (const beside of ["7 Config", "build", "Replay the request", "CALLS"]) {
    t.deepEqual(pressed(question, beside).ui, question);
  }
  const context = { model, screens, theme: plainTheme, ...roomOf(model, question, size) };
  t.deepEqual(point(question, { kind: "wheelDown" }, undefined, context).ui, question);
});

test("a press on a line of the palette or of what was found takes it", (t) => {
  t.is(pressed(typed(":"), "generations, the plan").ui.screen, "config");
  t.like(stateOf(pressed(typed("/ / d e p"), "hook.deploy").ui), { tab: 1 });
});

test("the wheel moves by three rows, or lines of what is open", (t) => {
  const logs = firstUi("logs", false);
  const context = { model, screens, theme: plainTheme, ...roomOf(model, logs, size) };
  const down = point(logs, { kind: "wheelDown" }, undefined, context).ui;
  t.is(stateOf(down).index, 3);
  t.is(stateOf(point(down, { kind: "wheelUp" }, undefined, context).ui).index, 0);
  const open = withState(firstUi("plugins", false), { open: "weather" });
  t.is(stateOf(point(open, { kind: "wheelDown" }, undefined, context).ui).scroll, 3);
  const filter = typed("/ a");
  t.is(stateOf(point(filter, { kind: "wheelDown" }, undefined, context).ui).filter, "a");
});
