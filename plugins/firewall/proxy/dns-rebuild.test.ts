import test from "ava";
import fc from "fast-check";
import { readQuestion } from "./dns-message.js";
import { rebuiltAnswer, rebuiltQuery } from "./dns-rebuild.js";

const name = (text: string) =>
  text.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
const questionBytes = [...name("API.Allowed.test"), 0, 0, 1, 0, 1];
const message = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...questionBytes]);
const options = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 6, 0xfd, 0xe9, 0, 2, 1, 2];

function question() {
  const read = readQuestion(message);
  if (!read) throw new Error("invalid");
  return read;
}

function answer(records: readonly number[], count: number, rest: readonly number[] = []): Buffer {
  return Buffer.from([
    0,
    0,
    0x81,
    0x80,
    0,
    1,
    0,
    count,
    0,
    0,
    0,
    0,
    ...questionBytes,
    ...records,
    ...rest,
  ]);
}

const alias = [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 6, ...name("edge"), 0xc0 - 0];
const chain = [...alias.slice(0, -1).with(11, 7), 0xc0, 16];
const address = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 93, 184, 216, 34];

test("a query has the question in lower case and nothing else of the command's", (t) => {
  const sent = Buffer.concat([message, Buffer.from(options), Buffer.from("trailing")]);
  sent[11] = 1;
  const query = rebuiltQuery(sent, question(), 0xabcd);
  t.is(query.readUInt16BE(0), 0xabcd);
  t.true(query.includes(Buffer.from(name("api.allowed.test"))));
  t.false(query.includes(Buffer.from([0xfd, 0xe9])));
  t.false(query.includes("trailing"));
});

test("an answer keeps its records with names written out, and nothing else", (t) => {
  const rest = [...options, ...Buffer.from("trailing")];
  const built = rebuiltAnswer(answer([...chain, ...address], 2, rest), message, question(), false);
  t.is(built?.readUInt16BE(0), 0x1234);
  t.deepEqual([built?.readUInt16BE(6), built?.readUInt16BE(10)], [2, 0]);
  t.true(built?.includes(Buffer.from([...name("edge.Allowed.test"), 0])));
  t.deepEqual([...(built?.subarray(-4) ?? [])], [93, 184, 216, 34]);
  t.false(built?.includes("trailing"));
});

test("an answer that is too long for its transport is cut", (t) => {
  const many = Array.from({ length: 40 }, () => address).flat();
  const built = rebuiltAnswer(answer(many, 40), message, question(), false);
  t.deepEqual([(built?.[2] ?? 0) & 2, built?.readUInt16BE(6)], [2, 0]);
  t.is(rebuiltAnswer(answer(many, 40), message, question(), true)?.readUInt16BE(6), 40);
});

const invalid: ReadonlyArray<readonly [what: string, bytes: Buffer]> = [
  ["a pointer to itself", answer([0xc0, 12 + questionBytes.length, ...address.slice(2)], 1)],
  ["an address of three bytes", answer([...address.with(11, 3).slice(0, -1)], 1)],
  ["more records than there are", answer(address, 2)],
  ["another question", Buffer.from(answer(address, 1)).fill(0x62, 13, 14)],
  ["a query", Buffer.from(answer(address, 1)).fill(1, 2, 3)],
];
for (const [what, bytes] of invalid) {
  test(`${what} makes an answer invalid`, (t) => {
    t.is(rebuiltAnswer(bytes, message, question(), true), undefined);
  });
}

test("rebuilding throws for no input", (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      rebuiltAnswer(answer([...bytes], 3), message, question(), true);
      rebuiltAnswer(Buffer.from(bytes), message, question(), true);
    }),
    { numRuns: 20_000 },
  );
  t.pass();
});
