/** Commands of `reeve` in the process of the test: where the process is not the subject, they cost a tenth of a child's time. */
import { createOutput } from "../../cli/plugin-api/output.js";
import { main } from "../../cli/program/main.js";
import type { Result } from "./child.js";

/** Runs `reeve` with these words to its end. Relative paths are those of the test's process. */
export async function command(
  words: readonly string[],
): Promise<Pick<Result, "code" | "stdout" | "stderr">> {
  let stdout = "";
  let stderr = "";
  const output = createOutput(
    { isTTY: false, write: (text: string) => (stdout += text) },
    { write: (text: string) => (stderr += text) },
    { NO_COLOR: "1" },
  );
  const code = await main([...words], output, new AbortController().signal);
  return { code, stdout, stderr };
}
