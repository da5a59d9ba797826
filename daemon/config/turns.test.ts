/** A large configuration is loaded in parts: the event loop serves others in between. */
import test from "ava";
import { turnsDuring } from "../../tests/support/eventually.js";
import { loadFiles } from "./testing/load-files.js";

const blocks = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `sandbox "s-${from + index}" {}\n`).join("");

test("the event loop turns while thousands of blocks are loaded", async (t) => {
  const few = await turnsDuring(loadFiles(blocks(0, 1)));
  const many = loadFiles(blocks(0, 4000));
  t.true((await turnsDuring(many)) >= few + 5);
  const { program } = await many;
  t.deepEqual([...(program?.blocks.keys() ?? [])].slice(-1), ['sandbox["s-3999"]']);
});

test("two loads at the same time give what each gives alone", async (t) => {
  const [one, other] = await Promise.all([
    loadFiles(blocks(0, 1500)),
    loadFiles(`${blocks(5000, 1500)}unknown "x" {}\n`),
  ]);
  t.is(one.program?.blocks.size, 1500);
  t.deepEqual(one.diagnostics, []);
  t.is(other.program, undefined);
  t.deepEqual(
    other.diagnostics.map(({ code }) => code),
    ["E102"],
  );
});
