/** Answers of other programs, kept for the next run. */
import { readdirSync } from "node:fs";
import test from "ava";
import { answersIn } from "./support/answers.js";
import { folder } from "./support/folder.js";
import { isLong } from "./support/runs.js";

const times = isLong ? 2 : 1;

test("the same inputs are asked once, and each other input again", async (t) => {
  const answer = answersIn(folder(t));
  const questions: string[] = [];
  const ask = (what: string) =>
    answer(["tool 1.0", what], async () => {
      questions.push(what);
      return { what, lines: [1, null] };
    });
  t.deepEqual(await ask("a"), { what: "a", lines: [1, null] });
  t.deepEqual(await ask("a"), { what: "a", lines: [1, null] });
  t.is(questions.length, times);
  t.is((await ask("b")).what, "b");
  t.is(questions.length, times + 1);
});

test("an address that is another one in each run is no input, and the answer has that of this run", async (t) => {
  const answer = answersIn(folder(t));
  let count = 0;
  const ask = (url: string) =>
    answer(
      [`registry=${url}`],
      async () => {
        count += 1;
        return `${url}/left.tgz`;
      },
      url,
    );
  t.is(await ask("http://127.0.0.1:1000"), "http://127.0.0.1:1000/left.tgz");
  t.is(await ask("http://127.0.0.1:2000"), "http://127.0.0.1:2000/left.tgz");
  t.is(count, times);
});

test("a recorded answer is read first", async (t) => {
  const recorded = folder(t);
  const ask = () => Promise.resolve(1);
  t.is(await answersIn(recorded)(["a"], ask), 1);
  const answer = answersIn(folder(t), recorded);
  t.is(await answer(["a"], () => Promise.resolve(2)), isLong ? 2 : 1);
});

test("a failure is not kept", async (t) => {
  const directory = folder(t);
  const answer = answersIn(directory);
  const failing = () => answer(["a"], () => Promise.reject(new Error("it failed")));
  await t.throwsAsync(failing(), { message: "it failed" });
  t.deepEqual(readdirSync(directory), []);
  t.is(await answer(["a"], async () => "done"), "done");
});
