import test from "ava";
import fc from "fast-check";
import { NOW, runSummary } from "../testing/samples.js";
import { scaleTop } from "./report.js";
import { runsPage } from "./runs-page.js";

/** All tags of a page; text is escaped, so that no other sign begins one. */
const TAGS =
  /<(?!\/?(?:html|head|meta|title|style|body|h1|h2|p|span|svg|rect|line|text|div|table|thead|tbody|tr|th|td|footer)\b|!doctype html>)/;

test("a page has every run, its state with its sign, and a bar with a title", (t) => {
  const page = runsPage([{ ...runSummary, state: "timed_out", id: "r-0002" }, runSummary], NOW);
  t.regex(page, /<span>2 runs<\/span>/);
  t.regex(page, /<span class="warn">◷ timed out<\/span> 1/);
  t.regex(page, /<span class="fail">✗ failed<\/span> 1/);
  t.is(page.match(/<rect /g)?.length, 2);
  t.regex(page, /<title>hook\.deploy failed, 3\.4s, /);
  t.regex(page, /<td>r-0002<\/td>/);
  t.true(page.indexOf("r-0002") < page.indexOf("r-0001"), "the newest first");
});

test("a page loads nothing and follows what the reader prefers", (t) => {
  const page = runsPage([runSummary], NOW);
  t.regex(page, /default-src 'none'/);
  t.regex(page, /prefers-color-scheme: dark/);
  t.notRegex(page, /<script|<link|<img|https?:|url\(|@import/);
});

test("a page without runs has no picture", (t) => {
  const page = runsPage([], NOW);
  t.regex(page, /0 runs/);
  t.notRegex(page, /<svg/);
});

test("no text of a run becomes markup", (t) => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("<script>", '"><b>', "&lt;", "'", "\u001b[2J"),
  );
  fc.assert(
    fc.property(text, text, text, (subject, trigger, reason) => {
      const page = runsPage([{ ...runSummary, subject, trigger, reason, id: subject }], NOW);
      t.notRegex(page, TAGS);
      t.notRegex(page, /<(script|b)\b/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      t.notRegex(page, /[\u0000-\u0009\u000b-\u001f]/);
      t.is(page.match(/<td/g)?.length, 9);
    }),
  );
});

for (const [largest, top] of [
  [0, 1],
  [1, 1],
  [3, 5],
  [21, 25],
  [25, 25],
  [26, 50],
  [51, 100],
  [3400, 5000],
] as const) {
  test(`the scale of ${largest} ends at ${top}`, (t) => {
    t.is(scaleTop(largest), top);
  });
}
