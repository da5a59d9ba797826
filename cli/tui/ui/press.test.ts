/** What keys do. */
import test from "ava";
import type { Effect, ScreenId } from "../../plugin-api/screen.js";
import { emptyModel } from "../model/model.js";
import { model } from "../testing/model.js";
import { screens } from "../testing/screens.js";
import { plainTheme } from "../view/theme.js";
import { keysOf } from "./key-names.js";
import { keysOn } from "./keys.js";
import { press } from "./press.js";
import { firstUi, stateOf, type Ui } from "./ui.js";

interface Typing {
  readonly on?: ScreenId;
  readonly readOnly?: boolean;
  readonly of?: typeof model;
}

/** Presses one key after the other. */
function typing(
  keys: readonly string[],
  { on = "overview", readOnly = false, of = model }: Typing = {},
) {
  const effects: Effect[] = [];
  let ui: Ui = firstUi(on, readOnly);
  for (const key of keys) {
    const pressed = press(ui, key, {
      model: of,
      theme: plainTheme,
      screens,
      width: 100,
      height: 20,
    });
    ui = pressed.ui;
    if (pressed.effect) effects.push(pressed.effect);
  }
  return { ui, effects, state: stateOf(ui) };
}

const screensByKey: ReadonlyArray<readonly [keys: string, screen: ScreenId]> = [
  ["2", "hooks"],
  ["8", "logs"],
  ["9", "overview"],
  ["Tab", "hooks"],
  ["Shift+Tab", "logs"],
  ["8 Tab", "overview"],
  [": c o n Enter", "config"],
  [": ↓ ↓ Enter", "updates"],
  [": Esc", "overview"],
  [": x x x Enter", "overview"],
];
for (const [keys, screen] of screensByKey) {
  test(`${keys}: the screen is ${screen}`, (t) => {
    t.is(typing(keys.split(" ")).ui.screen, screen);
  });
}

const rows: ReadonlyArray<readonly [keys: string, selected: string | undefined]> = [
  ["", undefined],
  ["j", "e11"],
  ["↓ ↓", "e10"],
  ["j j j j j", "e10"],
  ["j k", undefined],
  ["G", "e10"],
  ["G g", undefined],
  ["ctrl+d", "e10"],
  ["n n n", undefined],
  ["N", "e10"],
  ["/ b u i l d Enter j", undefined],
  ["S j", "e11"],
];
for (const [keys, selected] of rows) {
  test(`${keys || "no key"}: the chosen row is ${selected ?? "the first"}`, (t) => {
    t.is(typing(keys.split(" ")).state.selected, selected);
  });
}

test("the chosen row stays chosen while others come", (t) => {
  const { ui } = typing(["j"]);
  const [newest] = model.events;
  const more = {
    ...model,
    events: [...(newest ? [{ ...newest, sequence: 13 }] : []), ...model.events],
  };
  const next = press(ui, "j", { model: more, theme: plainTheme, screens, width: 100, height: 20 });
  t.is(stateOf(next.ui).selected, "e10");
});

const filters: ReadonlyArray<readonly [keys: string, filter: string]> = [
  ["/ a b", "ab"],
  ["/ a Backspace b Enter", "b"],
  ["/ a Enter / b Esc", "a"],
  ["/ a Enter Esc", ""],
  ["/ a Space b ctrl+w Enter", "a "],
  ["/ a b ctrl+u c Enter", "c"],
  ["/ q", "q"],
];
for (const [keys, filter] of filters) {
  test(`${keys}: the filter is "${filter}"`, (t) => {
    const { state, effects } = typing(keys.split(" "));
    t.is(state.filter, filter);
    t.deepEqual(effects, [], "a letter of a text does nothing else");
  });
}

/** `y` answers a question with yes, and copies where there is none. */
const changes = ({ kind }: Effect): boolean => kind !== "copy";

const onRun = (action: string, target: string): Effect => ({
  ...{ kind: "screen", action, target },
});
const effects: ReadonlyArray<readonly [on: ScreenId, keys: string, effects: readonly Effect[]]> = [
  ["overview", "q", [{ kind: "quit" }]],
  ["overview", "/ ctrl+c", [{ kind: "quit" }]],
  ["overview", "R y", []],
  ["plugins", "R", []],
  ["hooks", "r y", [onRun("replay", "r-0003")]],
  ["hooks", "j r y", [onRun("replay", "r-0002")]],
  ["hooks", "r n", []],
  ["hooks", "t j r y", [onRun("replay", "r-0002")]],
  ["hooks", "t x y", [onRun("cancel", "r-0003")]],
  ["hooks", "t Enter x y", [onRun("cancel", "r-0003")]],
  ["hooks", "t j x y", []],
  ["plugins", "R y", [{ kind: "restart", plugin: "hooks" }]],
  ["plugins", "R n", []],
  ["plugins", "R Enter", []],
  ["plugins", "j R y", [{ kind: "restart", plugin: "weather" }]],
  ["plugins", "j Enter R y", [{ kind: "restart", plugin: "weather" }]],
  ["plugins", "j U y", [{ kind: "release", plugin: "weather" }]],
  ["plugins", "U y", []],
  ["config", "p", [{ kind: "plan" }]],
  ["config", "r y", [{ kind: "reload" }]],
  ["config", "G b y", [{ kind: "rollback", generation: 11 }]],
  ["config", "j b y", []],
  ["config", "b y", []],
  ["overview", ": r e l o a d Enter y", [{ kind: "reload" }]],
];
for (const [on, keys, expected] of effects) {
  test(`on ${on}, ${keys}: ${expected.map(({ kind }) => kind).join() || "nothing is done"}`, (t) => {
    t.deepEqual(typing(keys.split(" "), { on }).effects.filter(changes), expected);
  });
}

test("y copies the chosen row, or what is open; e names its block", (t) => {
  const copied = (keys: string) => {
    const [effect] = typing(keys.split(" "), { on: "hooks" }).effects;
    return effect?.kind === "copy" ? effect.text : undefined;
  };
  t.regex(copied("y") ?? "", /^deploy 30 .*failed/);
  t.regex(copied("t j y") ?? "", /^succeeded hook\.build /);
  t.regex(copied("t j Enter y") ?? "", /^hook\.build {2}✓ succeeded {2}r-0002\n\n {2}request/);
  t.deepEqual(typing(["e"], { on: "hooks" }).effects, [{ kind: "edit", block: "hook.deploy" }]);
  t.deepEqual(typing(["t", "j", "e"], { on: "hooks" }).effects, [
    { kind: "edit", block: "hook.build" },
  ]);
  t.deepEqual(typing(["e"], { on: "hooks", readOnly: true }).effects, []);
});

test("read-only: no key and no name changes anything", (t) => {
  for (const { id, keys: own = [] } of screens) {
    for (const { keys, changes: isChange } of own) {
      if (!isChange) continue;
      const done = typing(["j", keys[0], "y"], { on: id, readOnly: true });
      t.deepEqual(done.effects.filter(changes), []);
    }
  }
  const named = [":", ..."reload", "Enter", "y"];
  t.deepEqual(typing(named).effects, [{ kind: "reload" }]);
  t.deepEqual(
    typing(named, { readOnly: true }).effects.filter(changes),
    [{ kind: "plan" }],
    "the nearest that is there",
  );
});

test("a refused action says why", (t) => {
  t.is(typing(["U"], { on: "plugins" }).ui.notice?.text, "hooks is not quarantined");
  t.is(typing(["U", "j"], { on: "plugins" }).ui.notice, undefined, "until the next key");
});

test("opening a hook shows its runs, opening a run shows it, and Esc leads back", (t) => {
  const runs = typing(["Enter"], { on: "hooks" });
  t.like(runs.state, { tab: 1, filter: "hook.deploy" });
  const detail = typing(["Enter", "Enter"], { on: "hooks" });
  t.is(detail.state.open, "r-0003");
  t.is(
    typing(["Enter", "Enter", "j", "G"], { on: "hooks" }).state.open,
    "r-0003",
    "keys scroll it",
  );
  t.is(typing(["Enter", "Enter", "Esc"], { on: "hooks" }).state.open, undefined);
  t.is(typing(["Enter", "Enter", "Esc", "Esc"], { on: "hooks" }).state.filter, "");
});

test("sorting goes through the columns and back to the list's own order", (t) => {
  t.is(typing(Array(1).fill("s"), { on: "logs" }).state.sort, 0);
  t.is(typing(Array(3).fill("s"), { on: "logs" }).state.sort, 2);
  t.is(typing(Array(4).fill("s"), { on: "logs" }).state.sort, undefined);
  t.true(typing(["S"], { on: "logs" }).state.reverse);
});

test("help and answers are left with every key that leads out", (t) => {
  for (const key of ["Esc", "q", "?", "Enter"]) {
    const { ui, effects: done } = typing(["?", "j", key]);
    t.is(ui.mode.kind, "browse");
    t.deepEqual(done, []);
  }
  t.like(typing(["?", "j", "j"]).ui.mode, { kind: "help", scroll: 2 });
});

test("older runs are asked for near the end of those that are known", (t) => {
  const of = { ...model, moreRuns: true };
  t.deepEqual(typing(["t", "j"], { on: "hooks", of }).effects, [{ kind: "more" }]);
  t.deepEqual(typing(["t", "j"], { on: "hooks" }).effects, []);
});

test("no key does harm where there is nothing", (t) => {
  for (const { keys } of screens.flatMap((screen) => keysOn(screen, false))) {
    for (const on of ["overview", "hooks", "plugins", "config", "logs"] as const) {
      t.notThrows(() => typing([keys[0], "j", "Esc"], { on, of: emptyModel }));
    }
  }
});

test("no key means two things on one screen", (t) => {
  for (const screen of screens) {
    const keys = keysOn(screen, false).flatMap(({ keys: own }) => own);
    t.deepEqual(keys, [...new Set(keys)]);
    t.false(keys.some((key) => /^\d$/.test(key)));
  }
});

const names: ReadonlyArray<readonly [string, Parameters<typeof keysOf>[1], readonly string[]]> = [
  ["j", {}, ["j"]],
  ["jjk", {}, ["j", "j", "k"]],
  ["é", {}, ["é"]],
  [" ", {}, ["Space"]],
  ["", { upArrow: true }, ["↑"]],
  ["", { tab: true, shift: true }, ["Shift+Tab"]],
  ["", { return: true }, ["Enter"]],
  ["d", { ctrl: true }, ["ctrl+d"]],
  ["", { delete: true }, ["Backspace"]],
  ["ab\r", {}, ["a", "b", "Enter"]],
  ["\u0000", {}, []],
];
for (const [input, key, expected] of names) {
  test(`the terminal's ${JSON.stringify(input)} ${JSON.stringify(key)} is ${expected.join(", ") || "nothing"}`, (t) => {
    t.deepEqual(keysOf(input, key), expected);
  });
}
