/** A file is read in parts, and gives what reading it at once would give. */
import test from "ava";
import { faultyTexts, seeded, validTexts } from "../testing/texts.js";
import { readFile, readInParts } from "./read-file.js";

/** The length of a part, without the rest of the item at its end. */
const PART = 4096;

/** Spans moved by `by`. */
function moved(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((each) => moved(each, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      /^(start|end|operatorStart|sourceStart)$/.test(name) && typeof each === "number"
        ? each + by
        : moved(each, by),
    ]),
  );
}

/** Texts one after the other, with where each begins; together many times as long as a part. */
function joined(texts: readonly string[], seed: number) {
  const next = seeded(seed);
  const starts: Array<readonly [number, string]> = [];
  let all = "";
  while (all.length < 12 * PART) {
    const text = texts[next(texts.length)] as string;
    starts.push([all.length, text]);
    all += `${text}\n\n`;
  }
  return { all, starts };
}

/** What stays within itself, wherever it stands: without a mark at the beginning, and with a line's end. */
const whole = ({ text }: { readonly text: string }): boolean => !text.startsWith("\uFEFF");

test("the items of a long file are those of its pieces, each at its offset", (t) => {
  const texts = validTexts.filter(whole).map(({ text }) => text);
  for (let seed = 1; seed <= 20; seed += 1) {
    const { all, starts } = joined(texts, seed);
    const { tree, mistakes } = readFile(all);
    const pieces = starts.flatMap(([start, text]) =>
      readFile(text).tree.items.map((item) => moved(item, start)),
    );
    t.deepEqual(mistakes, []);
    t.deepEqual(tree.items as readonly unknown[], pieces);
  }
});

test("a mistake in a late part is found at its offset, and hides nothing before or behind it", (t) => {
  const filler = 'hook "a" {\n  run = ["true"]\n}\n'.repeat(400);
  for (const { name, text } of faultyTexts.filter(whole)) {
    const alone = readFile(`${text}\n`).mistakes;
    const among = readFile(`${filler}${text}\n`).mistakes;
    // A text of another language is recognised only where it begins a file.
    if (alone.some(({ code }) => code === "E001")) continue;
    t.deepEqual(
      among.map(({ code, start, end }) => ({
        code,
        start: start - filler.length,
        end: end - filler.length,
      })),
      alone.map(({ code, start, end }) => ({ code, start, end })),
      name,
    );
  }
});

test("a part ends with the first item that reaches its length", (t) => {
  const item = 'hook "a" {\n  run = ["true"]\n}\n';
  const text = item.repeat(2000);
  const parts = [...readInParts(text)].length + 1;
  t.true(parts >= Math.floor(text.length / (PART + item.length)), `${parts} parts`);
});

test("an item, a comment and a doc comment that are longer than a part are read whole", (t) => {
  const list = `a = [\n${"  1,\n".repeat(3000)}]\n`;
  const comment = "# about nothing\n".repeat(1000);
  const doc = `## about b\n${"## and more\n".repeat(1000)}b = 2\n`;
  const { tree, mistakes } = readFile(`${list}${comment}${doc}${comment}`);
  t.deepEqual(mistakes, []);
  t.deepEqual(
    tree.items.map((each) => each.kind === "attribute" && [each.name.text, each.doc?.length]),
    [
      ["a", undefined],
      [
        "b",
        doc
          .match(/[^#\n ][^\n]*/g)
          ?.slice(0, 1001)
          .join("\n").length,
      ],
    ],
  );
});

test("a byte order mark is skipped at the beginning and a mistake anywhere else", (t) => {
  const item = 'hook "a" {\n  run = ["true"]\n}\n';
  t.deepEqual(readFile(`\uFEFF${item}`).mistakes, []);
  const before = item.repeat(500);
  const late = readFile(`${before}\uFEFF${item}`).mistakes;
  t.true(late.length > 0);
  t.is(late[0]?.start, before.length);
});
