/** The finder: what is found, in which order, and what opening does. */
import test from "ava";
import fc from "fast-check";
import { NOW, runSummary } from "../../testing/samples.js";
import { model } from "../testing/model.js";
import { screens } from "../testing/screens.js";
import { plainTheme } from "../view/theme.js";
import { type FindContext, findHits, SEARCHED } from "./find.js";
import { fuzzyScore } from "./fuzzy.js";
import { press } from "./press.js";
import { firstUi, stateOf, type Ui } from "./ui.js";

const context: FindContext = { model, screens, theme: plainTheme, width: 100, height: 20 };
const ui = firstUi("overview", false);
const found = (query: string, of = context) =>
  findHits(ui, query, of).map(({ name, where }) => `${where}: ${name}`);

const better: ReadonlyArray<readonly [query: string, best: string, ...others: string[]]> = [
  ["deploy", "deploy", "deploy-site", "hook.deploy", "d-e-p-l-o-y", "redeploy"],
  ["ds", "deploy-site", "words", "redesign"],
  ["hd", "hook.deploy", "head", "hook.build and more"],
  ["plug", "plugins", "unplugged"],
  ["bld", "build", "rebuilt-d"],
];
for (const [query, ...texts] of better) {
  test(`"${query}" fits ${texts.join(", then ")}`, (t) => {
    const scores = texts.map((text) => fuzzyScore(query, text) ?? Number.NEGATIVE_INFINITY);
    t.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    t.true(scores.every((score) => Number.isFinite(score)));
  });
}

test("a text fits exactly if it has all letters in their order", (t) => {
  t.is(fuzzyScore("abc", "acb"), undefined);
  t.is(fuzzyScore("abc", ""), undefined);
  const text = fc.string({ maxLength: 40, unit: fc.constantFrom(..."abcXY .-é") });
  fc.assert(
    fc.property(text, fc.array(fc.nat(39), { maxLength: 8 }), text, (given, at, other) => {
      const letters = [...new Set(at)].sort((a, b) => a - b).map((index) => given[index] ?? "");
      t.true(Number.isFinite(fuzzyScore(letters.join(""), given)));
      const pattern = [...other].map((letter) => letter.replace(/[.\-\\]/g, "\\$&")).join(".*");
      t.is(fuzzyScore(other, given) !== undefined, new RegExp(pattern, "i").test(given));
    }),
  );
});

const finds: ReadonlyArray<readonly [query: string, first: string]> = [
  ["deploy", "Hooks › Hooks: deploy"],
  ["dply", "Hooks › Hooks: deploy"],
  ["hook.build", "Hooks › Runs: hook.build"],
  ["r-0002", "Hooks › Runs: hook.build"],
  ["sandbox.tests", "Firewall › Runs: sandbox.tests"],
  ["weather", "Plugins: weather"],
  ["gen11", "Config: generation 11"],
  ["acme/docs", "Updates › Repositories: acme/docs"],
  ["left-foo", "Updates › Pull requests: acme/site #4 Bump left-foo from 1.0.0 to 1.1.0"],
  ["attempt=3", "Logs: error"],
  ["conf", "screen: config"],
  ["rollback", "action: rollback"],
];
for (const [query, first] of finds) {
  test(`"${query}" finds ${first}`, (t) => {
    t.is(found(query)[0], first);
  });
}

test("without a text there are screens, and the first rows of every list", (t) => {
  const all = found("");
  t.true(all.includes("screen: hooks"));
  t.true(all.includes("Hooks › Hooks: build"));
  t.true(all.includes("Config: generation 13"));
  t.deepEqual(found("nothing is called this"), []);
});

test("many runs of a hook do not hide the hook, and an event is there once", (t) => {
  const runs = Array.from({ length: SEARCHED + 10 }, (_, index) => ({
    ...runSummary,
    ...{ id: `r-${index}`, queuedAt: NOW - index },
  }));
  const hits = found("deploy", { ...context, model: { ...model, runs } });
  t.is(hits[0], "Hooks › Hooks: deploy");
  t.is(hits.filter((hit) => hit.startsWith("Hooks › Runs")).length, 20);
  t.is(hits.filter((hit) => /^(Logs|Overview): deploy/.test(hit)).length, 1);
});

test("read-only, nothing is found that changes something", (t) => {
  const names = findHits(firstUi("overview", true), "reload", context).map(({ name }) => name);
  t.true(names.includes("plan"));
  t.false(names.includes("reload"));
});

/** Presses one key after the other. */
function typing(keys: string): { readonly ui: Ui; readonly state: ReturnType<typeof stateOf> } {
  let at: Ui = ui;
  for (const key of keys.split(" ")) at = press(at, key, context).ui;
  return { ui: at, state: stateOf(at) };
}

test("a second / finds everywhere, and Enter opens what was chosen", (t) => {
  const run = typing("/ / r - 0 0 0 2 Enter");
  t.is(run.ui.screen, "hooks");
  t.like(run.state, { tab: 1, open: "r-0002", selected: "r-0002", filter: "" });
  const hook = typing("ctrl+k b u i l d Enter");
  t.like(hook.state, { tab: 0, selected: "build", open: undefined });
  t.is(typing("/ / g e n 1 1 ↓ ↑ Enter").ui.screen, "config");
  t.is(typing("ctrl+k x x Esc").ui.mode.kind, "browse");
  t.regex(typing("ctrl+k z z q z Enter").ui.notice?.text ?? "", /nothing called `zzqz`/);
});

test("an old choice of a screen does not hide what was found", (t) => {
  const there = typing("2 t / b u i l d Enter 1 ctrl+k r - 0 0 0 1 Enter");
  t.like(there.state, { tab: 1, filter: "", open: "r-0001" });
});

test("/ is part of a filter where it is not the second key", (t) => {
  t.is(typing("/ a / b Enter").state.filter, "a/b");
});
