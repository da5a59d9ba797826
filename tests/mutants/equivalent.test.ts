/** The list of mutants that change nothing is about code that exists. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import test from "ava";

test("every known equivalent mutant is a mutant of the code as it is", async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "scripts/mutate.mjs",
    "--check",
  ]).catch((thrown: { stdout: string }) => thrown);
  t.is(stdout, "");
});
