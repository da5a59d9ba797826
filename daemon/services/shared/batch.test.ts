import test from "ava";
import { turns as turn } from "../../../tests/support/eventually.js";
import { Batch } from "./batch.js";

/** A batch whose answers a test gives. */
function recorded() {
  const sent: (readonly number[])[] = [];
  const waiting: PromiseWithResolvers<readonly string[]>[] = [];
  const batch = new Batch((items: readonly number[]) => {
    sent.push(items);
    const answer = Promise.withResolvers<readonly string[]>();
    waiting.push(answer);
    return answer.promise;
  });
  return { batch, sent, waiting };
}
const answers = (items: readonly number[] = []) => items.map((item) => `answer ${item}`);

test("what comes in one turn goes together, and each gets its own answer", async (t) => {
  const { batch, sent, waiting } = recorded();
  const results = [1, 2, 3].map((item) => batch.add(item));
  t.deepEqual(sent, []);
  await turn();
  t.deepEqual(sent, [[1, 2, 3]]);
  waiting[0]?.resolve(answers(sent[0]));
  t.deepEqual(await Promise.all(results), ["answer 1", "answer 2", "answer 3"]);
});

test("what comes meanwhile waits for the answer, and goes together then", async (t) => {
  const { batch, sent, waiting } = recorded();
  const first = batch.add(1);
  await turn();
  const later = [batch.add(2), batch.add(3)];
  await turn();
  t.deepEqual(sent, [[1]]);
  waiting[0]?.resolve(answers(sent[0]));
  t.is(await first, "answer 1");
  await turn();
  t.deepEqual(sent, [[1], [2, 3]]);
  waiting[1]?.resolve(answers(sent[1]));
  t.deepEqual(await Promise.all(later), ["answer 2", "answer 3"]);
});

test("a failure is of those that went together alone; the next go on", async (t) => {
  const { batch, sent, waiting } = recorded();
  const failing = [batch.add(1), batch.add(2)];
  await turn();
  const next = batch.add(3);
  waiting[0]?.reject(new Error("away"));
  for (const each of failing) await t.throwsAsync(each, { message: "away" });
  await turn();
  waiting[1]?.resolve(answers(sent[1]));
  t.is(await next, "answer 3");
  const after = batch.add(4);
  await turn();
  waiting[2]?.resolve(answers(sent[2]));
  t.is(await after, "answer 4");
});

test("at most 500 go together, in their order", async (t) => {
  const { batch, sent, waiting } = recorded();
  const results = Array.from({ length: 501 }, (_, item) => batch.add(item));
  await turn();
  t.is(sent[0]?.length, 500);
  waiting[0]?.resolve(answers(sent[0]));
  await results[0];
  await turn();
  t.deepEqual(sent[1], [500]);
  waiting[1]?.resolve(answers(sent[1]));
  t.is(await results[500], "answer 500");
});
