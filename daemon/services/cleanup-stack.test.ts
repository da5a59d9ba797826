import test from "ava";
import { CleanupStack } from "./cleanup-stack.js";

function stackOf(closed: string[]): CleanupStack {
  const stack = new CleanupStack();
  stack.defer("first", () => void closed.push("first"));
  stack.defer("second", () => Promise.reject(new Error("broken")));
  stack.defer("third", async () => void closed.push("third"));
  return stack;
}

test("steps run once, the last one first, whatever fails", async (t) => {
  const closed: string[] = [];
  const failures: string[] = [];
  const stack = stackOf(closed);
  await stack.unwind((name, thrown) => void failures.push(`${name}: ${thrown}`));
  await stack.unwind();
  t.deepEqual(closed, ["third", "first"]);
  t.deepEqual(failures, ["second: Error: broken"]);
});

test("without a handler the first failure is thrown at the end", async (t) => {
  const closed: string[] = [];
  await t.throwsAsync(stackOf(closed).unwind(), { message: "broken" });
  t.deepEqual(closed, ["third", "first"]);
});
