/** The list of mutants that change nothing is about code that exists. */
import test from "ava";
import { run } from "../support/child.js";

test("every known equivalent mutant is a mutant of the code as it is", async (t) => {
  const { stdout } = await run(process.execPath, ["scripts/mutate.mjs", "--check"]);
  t.is(stdout, "");
});
