import test from "ava";
import fc from "fast-check";
import { BoundedOutput } from "./output.js";

const kept = (limit: number, ...pieces: ReadonlyArray<string | Uint8Array>) => {
  const output = new BoundedOutput(limit);
  for (const piece of pieces) output.push(Buffer.from(piece));
  const { head, tail, omitted } = output.parts();
  return [Buffer.from(head).toString(), Buffer.from(tail).toString(), omitted];
};

const cases: ReadonlyArray<
  readonly [limit: number, pieces: readonly string[], kept: readonly [string, string, number]]
> = [
  [10, [], ["", "", 0]],
  [10, ["abc"], ["abc", "", 0]],
  [10, ["0123456789"], ["0123456789", "", 0]],
  [10, ["0123456789x"], ["01234", "6789x", 1]],
  [10, ["0", "123456", "789xyz"], ["01234", "89xyz", 3]],
  [0, ["abc"], ["", "", 3]],
  [1, ["abc"], ["a", "", 2]],
  [6, ["aüüüüüü"], ["aü", "ü", 8]],
  [8, ["🌍🌍🌍"], ["🌍", "🌍", 4]],
];
for (const [limit, pieces, expected] of cases) {
  test(`${limit} bytes of ${JSON.stringify(pieces)}`, (t) => {
    t.deepEqual(kept(limit, ...pieces), [...expected]);
  });
}

test("bytes that are no text are kept as they are", (t) => {
  const output = new BoundedOutput(4);
  output.push(Uint8Array.of(0x80, 0x80, 0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80));
  const { head, tail, omitted } = output.parts();
  t.is(head.length + tail.length + omitted, 9);
  t.true(head.length + tail.length >= 2);
});

test("however it is cut: the parts are whole text, and nothing is counted wrong", (t) => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), fc.nat(60), (pieces, limit) => {
      const [head, tail, omitted] = kept(limit, ...pieces) as [string, string, number];
      const whole = pieces.join("");
      t.true(whole.startsWith(head));
      t.true(whole.endsWith(tail));
      t.is(Buffer.byteLength(head + tail) + omitted, Buffer.byteLength(whole));
      t.true(Buffer.byteLength(head + tail) <= limit || omitted === 0);
    }),
  );
});
