import test from "ava";
import { OutputCursor } from "./output-cursor.js";

/** What is printed of an output that is looked at in these states. */
function printed(...texts: ReadonlyArray<readonly [text: string, omitted?: number]>): string[] {
  const reader = new OutputCursor();
  const parts = texts.map(([text, omitted = 0]) =>
    reader.next({ text, bytes: Buffer.byteLength(text) + omitted, omitted }),
  );
  return [...parts, reader.end()];
}

test("every part is printed once, characters stay whole", (t) => {
  t.deepEqual(printed(["one"], ["one"], ["one\ntwö"], ["one\ntwö\nthree\n"]), [
    "one",
    "",
    "\ntwö",
    "\nthree\n",
    "",
  ]);
});

test("a last line without its end gets one", (t) => {
  t.deepEqual(printed(["one"], ["one"]), ["one", "", "\n"]);
});

test("what was not kept is counted", (t) => {
  const head = "a".repeat(20);
  const tail = "z".repeat(20);
  t.deepEqual(printed(["a".repeat(10)], [`${head}${tail}`, 60]), [
    "a".repeat(10),
    `… (70 bytes are not shown)\n${tail}`,
    "\n",
  ]);
});

test("of an output whose middle is gone only what is new is printed", (t) => {
  const head = "a".repeat(20);
  t.deepEqual(printed([`${head}${"y".repeat(20)}`, 60], [`${head}${"y".repeat(17)}new`, 63]), [
    `${head}${"y".repeat(20)}`,
    "new",
    "\n",
  ]);
});

test("output cannot drive the terminal", (t) => {
  t.deepEqual(printed(["\u001b[2Jx"]), ["x", "\n"]);
});
