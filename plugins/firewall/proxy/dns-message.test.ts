import test from "ava";
import fc from "fast-check";
import {
  addressResponse,
  emptyResponse,
  readQuestion,
  recordType,
  responseCode,
} from "./dns-message.js";

function query(name: string, type: number = recordType.A): Buffer {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, type, 0, 1]);
}

test("a question is parsed with its name in lower case", (t) => {
  const { id, name, type } = readQuestion(query("API.allowed.test", recordType.AAAA)) ?? {};
  t.deepEqual([id, name, type], [0x1234, "api.allowed.test", 28]);
});

test("responses, several questions, pointers and truncated messages are invalid", (t) => {
  const good = query("a.test");
  const change = (at: number, value: number) => {
    const bytes = Buffer.from(good);
    bytes[at] = value;
    return bytes;
  };
  for (const bad of [
    change(2, 0x81),
    change(2, 0x28),
    change(5, 2),
    change(5, 0),
    change(12, 0xc0),
    change(12, 64),
    good.subarray(0, 20),
    good.subarray(0, 3),
  ]) {
    t.is(readQuestion(bad), undefined);
  }
});

test("a refusal repeats the question and says that the name does not exist", (t) => {
  const message = query("a.test");
  const question = readQuestion(message);
  if (!question) return t.fail();
  const answer = emptyResponse(message, question, responseCode.noSuchName);
  t.deepEqual(
    [answer.readUInt16BE(0), answer[2], (answer[3] ?? 0) & 15, answer.readUInt16BE(6)],
    [0x1234, 0x81, 3, 0],
  );
  t.deepEqual(answer.subarray(12), message.subarray(12));
});

test("the response has an address for A and none for AAAA", (t) => {
  const answers = [recordType.A, recordType.AAAA].map((type) => {
    const message = query("a.test", type);
    const question = readQuestion(message);
    return question ? addressResponse(message, question, "192.0.2.1") : Buffer.alloc(12);
  });
  t.deepEqual(
    answers.map((answer) => answer.readUInt16BE(6)),
    [1, 0],
  );
  t.deepEqual([...(answers[0]?.subarray(-4) ?? [])], [192, 0, 2, 1]);
});

test("the parser throws for no input", (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      readQuestion(Buffer.from(bytes));
    }),
    { numRuns: 20_000 },
  );
  t.pass();
});
