/** Messages come whole, however the bytes are cut, and what is no message is noticed. */
import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../tests/support/text.js";
import { frameOf, NotAFrame, RpcFrameReader } from "./frames.js";

const bodiesOf = (reader: RpcFrameReader, chunk: Buffer): readonly string[] =>
  [...reader.push(chunk)].map(({ body }) => body.toString());

test("messages survive every way of cutting them, as the same bytes", (t) => {
  const messages = fc.array(anyText(), { maxLength: 6 });
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (all, cuts) => {
        const whole = Buffer.concat(all.map(frameOf));
        const reader = new RpcFrameReader();
        const frames: Buffer[] = [];
        const bodies: unknown[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const end = at + (cuts[turn % cuts.length] ?? 1);
          for (const { bytes, body } of reader.push(whole.subarray(at, end))) {
            frames.push(bytes);
            bodies.push(JSON.parse(body.toString()));
          }
          at = end;
        }
        t.is(JSON.stringify(bodies), JSON.stringify(all));
        t.true(Buffer.concat(frames).equals(whole));
        t.is(reader.rest.length, 0);
      },
    ),
  );
});

test("headers are read in any case and order", (t) => {
  const text = "content-type: x; charset=utf-8\r\nCONTENT-LENGTH:  2 \r\n\r\n{}";
  t.deepEqual(bodiesOf(new RpcFrameReader(), Buffer.from(text)), ["{}"]);
});

for (const [name, text] of [
  ["a message without a length", "Content-Type: x\r\n\r\n{}"],
  ["a length that is none", "Content-Length: ten\r\n\r\n"],
  ["a length below zero", "Content-Length: -1\r\n\r\n"],
  ["a length of a terabyte", "Content-Length: 999999999999\r\n\r\n"],
  ["a header without an end", "x".repeat(10_000)],
] as const) {
  test(`${name} ends the understanding, after what came before it`, (t) => {
    const reader = new RpcFrameReader();
    const seen: string[] = [];
    t.throws(
      () => {
        for (const { body } of reader.push(Buffer.concat([frameOf(1), Buffer.from(text)]))) {
          seen.push(body.toString());
        }
      },
      { instanceOf: NotAFrame },
    );
    t.deepEqual(seen, ["1"]);
    t.is(reader.rest.toString(), text);
  });
}

test("no bytes at all make it fail in another way", (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const reader = new RpcFrameReader();
      try {
        t.true(bodiesOf(reader, Buffer.from(bytes)).length >= 0);
      } catch (thrown) {
        t.true(thrown instanceof NotAFrame);
      }
    }),
  );
});
