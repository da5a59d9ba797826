/** Commands that follow each other in one run, for tests whose subject is not the run's start. */
import type { Result } from "./test-internet.js";

export type Outcome = Pick<Result, "code" | "stdout" | "stderr">;

/**
 * Runs commands. Those of one batch have one run, at the first of them; its errors are those of all. `batchOf`: a batch's name,
 * `undefined` for a run of its own. `run` gets the first command of the batch.
 */
export function inBatches<Each extends { readonly command: string }>(
  all: readonly Each[],
  batchOf: (each: Each) => string | undefined,
  run: (first: Each, command: string) => Promise<Result>,
): (each: Each) => Promise<Outcome> {
  const batches = new Map<string, Promise<ReadonlyMap<Each, Outcome>>>();
  const runBatch = async (name: string): Promise<ReadonlyMap<Each, Outcome>> => {
    const members = all.filter((each) => batchOf(each) === name);
    const lines = members.map(({ command }) => `( ${command}\n); printf '\u001f%s\u001e' $?`);
    const { stdout, stderr } = await run(members[0] as Each, lines.join("\n"));
    const outcomes = stdout.split("\u001e").map((text): Outcome => {
      const [printed = "", code = ""] = text.split("\u001f");
      return { code: code === "" ? null : Number(code), stdout: printed, stderr };
    });
    const none: Outcome = { code: null, stdout: "", stderr };
    return new Map(members.map((each, index) => [each, outcomes[index] ?? none]));
  };
  return async (each) => {
    const name = batchOf(each);
    if (name === undefined) return run(each, each.command);
    const batch = batches.get(name) ?? runBatch(name);
    batches.set(name, batch);
    return (await batch).get(each) as Outcome;
  };
}
