import { createHash } from "node:crypto";
import test from "ava";
import { parseAhead, readSource } from "./read-source.js";

/** The tests share the cache of the process, so each has its own names. */
const source = (path: string, text: string) => ({
  path,
  text,
  hash: createHash("sha256").update(text).digest("hex"),
});

const hook = (status: number): string => `hook "a" { status = ${status} }\n`;

test("a text that was read before has the same tree", async (t) => {
  const text = source("/a/one.reeve", hook(1));
  const { tree } = readSource("one.reeve", text);
  t.is(readSource("one.reeve", text).tree, tree);
  await parseAhead("/a/one.reeve", [text]);
  t.is(readSource("one.reeve", text).tree, tree);
});

test("an edit that is taken back finds its tree", (t) => {
  const [before, after] = [source("/a/two.reeve", hook(1)), source("/a/two.reeve", hook(2))];
  const { tree } = readSource("two.reeve", before);
  t.not(readSource("two.reeve", after).tree, tree);
  t.is(readSource("two.reeve", before).tree, tree);
});

test("the newest tree of a file stays, however much is edited; of earlier ones only a little text", (t) => {
  const quiet = source("/a/quiet.reeve", hook(1));
  const { tree } = readSource("quiet.reeve", quiet);
  const long = (status: number) => source("/a/long.reeve", hook(status).repeat(3000));
  const first = readSource("long.reeve", long(0)).tree;
  for (let status = 1; status < 10; status += 1) readSource("long.reeve", long(status));
  const last = readSource("long.reeve", long(9)).tree;
  t.is(readSource("quiet.reeve", quiet).tree, tree);
  t.is(readSource("long.reeve", long(9)).tree, last);
  t.not(readSource("long.reeve", long(0)).tree, first);
});

test("what is parsed ahead is what a pass reads, mistakes included", async (t) => {
  const text = source("/a/ahead.reeve", `${hook(1).repeat(1000)}hook "b" {\n`);
  await parseAhead("/a/ahead.reeve", [text]);
  const { tree, diagnostics } = readSource("ahead.reeve", text);
  t.is(tree.items.length, 1001);
  t.deepEqual(
    diagnostics.map(({ code }) => code),
    ["E002"],
  );
});

test("two loads that read the same text at the same time agree", async (t) => {
  const text = source("/a/twice.reeve", hook(3).repeat(2000));
  await Promise.all([parseAhead("/a/twice.reeve", [text]), parseAhead("/a/twice.reeve", [text])]);
  const { tree } = readSource("twice.reeve", text);
  t.is(readSource("twice.reeve", text).tree, tree);
});
