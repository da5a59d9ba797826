import test from "ava";
import fc from "fast-check";
import { readGreeting, readRequest } from "./socks.js";

const bytes = (...values: readonly number[]) => Buffer.from(values);
const name = (host: string, port: number) =>
  Buffer.concat([bytes(5, 1, 0, 3, host.length), Buffer.from(host), bytes(port >> 8, port & 255)]);

test("a greeting offers methods, with or without an open one", (t) => {
  t.deepEqual(readGreeting(bytes(5, 2, 2, 0, 9)), { kind: "greeting", isOpen: true, length: 4 });
  t.deepEqual(readGreeting(bytes(5, 1, 2)), { kind: "greeting", isOpen: false, length: 3 });
  t.is(readGreeting(bytes(5, 2, 0)).kind, "partial");
  t.is(readGreeting(bytes(5)).kind, "partial");
  t.is(readGreeting(bytes(4, 1, 0)).kind, "invalid");
});

const requests: ReadonlyArray<readonly [sent: Buffer, kind: string, target?: string]> = [
  [name("a.test", 5432), "connect", "a.test:5432"],
  [bytes(5, 1, 0, 1, 203, 0, 113, 7, 0, 22), "connect", "203.0.113.7:22"],
  [
    bytes(5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 187),
    "connect",
    "[2001:0db8:0000:0000:0000:0000:0000:0001]:443",
  ],
  [bytes(5, 2, 0, 1, 203, 0, 113, 7, 0, 22), "unsupported", "203.0.113.7:22"],
  [bytes(5, 3, 0, 1, 203, 0, 113, 7, 0, 22), "unsupported", "203.0.113.7:22"],
  [bytes(5, 1, 0, 9, 1, 1, 1, 1, 1, 1), "invalid"],
  [bytes(4, 1, 0, 1, 1), "invalid"],
];
for (const [sent, kind, target] of requests) {
  test(`${sent.toString("hex")} is ${kind}${target === undefined ? "" : ` ${target}`}`, (t) => {
    const read = readRequest(Buffer.concat([sent, Buffer.from("rest")]));
    t.like(read, target === undefined ? { kind } : { kind, target, length: sent.length });
    if (target === undefined) return;
    for (let length = 0; length < sent.length; length += 1)
      t.is(readRequest(sent.subarray(0, length)).kind, "partial");
  });
}

test("no bytes make it throw, and a message never ends behind them", (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
      const all = Buffer.from([5, ...noise]);
      return [readGreeting(all), readRequest(all)].every(
        (read) => !("length" in read) || read.length <= all.length,
      );
    }),
  );
  t.pass();
});
