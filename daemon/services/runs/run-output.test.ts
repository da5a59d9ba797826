/** The output of a run as it arrives. */
import test from "ava";
import { Mask } from "../mask.js";
import { RunOutput } from "./run-output.js";

test("it is dirty from what was added until it is read", (t) => {
  const output = new RunOutput(100, new Mask());
  t.false(output.dirty);
  output.push("stdout", "");
  t.false(output.dirty);
  output.push("stdout", "one\n");
  t.true(output.dirty);
  t.deepEqual(output.kept(), { text: "one\n", bytes: 4, omitted: 0 });
  t.false(output.dirty);
  output.push("stderr", "two\n");
  t.true(output.dirty);
  t.is(output.kept().text, "one\ntwo\n");
});

test("without a word it is empty", (t) => {
  const output = new RunOutput(100, new Mask());
  t.deepEqual(output.kept(), { text: "", bytes: 0, omitted: 0 });
  output.end();
  t.false(output.dirty);
});

test("after its end nothing is added", (t) => {
  const output = new RunOutput(100, new Mask());
  output.push("stdout", Uint8Array.of(0xc3));
  output.end();
  t.true(output.dirty);
  output.push("stdout", "late");
  output.push("stdout", Uint8Array.of(0xa4));
  output.end();
  t.is(output.kept().text, "\uFFFD");
});

test("a character in two pieces of one stream is whole, though the other stream comes between", (t) => {
  const output = new RunOutput(100, new Mask());
  output.push("stdout", Uint8Array.of(0xc3));
  output.push("stderr", "x");
  output.push("stdout", Uint8Array.of(0xa4));
  output.end();
  t.deepEqual(output.kept(), { text: "xä", bytes: 3, omitted: 0 });
});

test("a secret that becomes known later is masked as well", (t) => {
  const mask = new Mask();
  const output = new RunOutput(100, mask);
  output.push("stdout", "hunter22 ");
  mask.add("hunter22");
  output.end();
  t.is(output.kept().text, "(secret) ");
});
