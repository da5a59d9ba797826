import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
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
  await stack.unwind({
    failed: (name, thrown) => void failures.push(`${name}: ${thrown}`),
  });
  await stack.unwind();
  t.deepEqual(closed, ["third", "first"]);
  t.deepEqual(failures, ["second: Error: broken"]);
});

test("without a handler the first failure is thrown at the end", async (t) => {
  const closed: string[] = [];
  await t.throwsAsync(stackOf(closed).unwind(), { message: "broken" });
  t.deepEqual(closed, ["third", "first"]);
});

test("a step that does not end holds up the others no longer than they are patient, and is named as late and open", async (t) => {
  const closed: string[] = [];
  const stack = stackOf(closed);
  const stuck = Promise.withResolvers<void>();
  stack.defer("stuck", () => stuck.promise);
  t.deepEqual(stack.open, ["stuck", "third", "second", "first"]);
  let isOver = false;
  const never = new Promise<void>(() => undefined);
  const began: string[] = [];
  const begins = () => began.push(stack.open[0] ?? "");
  const patience = (name: string) => (name === "stuck" ? Promise.resolve() : never);
  const late: string[] = [];
  const options = { failed: () => undefined, late: (name: string) => void late.push(name) };
  const unwound = stack.unwind({ begins, patience, ...options }).then(() => {
    isOver = true;
  });
  await eventually("the other steps", () => closed.length === 2);
  t.deepEqual([stack.open, isOver], [["stuck"], false]);
  t.deepEqual([began, late], [["stuck", "third", "second", "first"], ["stuck"]]);
  stuck.resolve();
  await unwound;
  t.deepEqual(stack.open, []);
});
