/** Whole command lines against a daemon that gives a test's answers, in this process. */
import type { ExecutionContext } from "ava";
import { createOutput } from "../plugin-api/output.js";
import { main } from "../program/main.js";
import { type Answers, daemonDouble } from "./daemon-double.js";
import type { ProgramResult } from "./reeve.js";

export interface CommandResult extends ProgramResult {
  /** What the daemon was asked: `GET /v1/status`. */
  readonly requests: readonly string[];
}

export interface TerminalReader {
  /** Columns of the terminal; absent: no terminal. */
  readonly columns?: number;
  /** Stops reading when it returns true for all of the standard output until now. */
  readonly until?: (stdout: string) => boolean;
}

/** Runs `reeve` with these words and `--control`. */
export async function runAgainst(
  t: ExecutionContext,
  words: readonly string[],
  answers: Answers,
  { columns, until = () => false }: TerminalReader = {},
): Promise<CommandResult> {
  const daemon = await daemonDouble(answers);
  t.teardown(daemon.close);
  const unread = new AbortController();
  let stdout = "";
  let stderr = "";
  const isTTY = columns !== undefined;
  const out = (text: string) => {
    stdout += text;
    if (until(stdout)) unread.abort();
  };
  const output = createOutput(
    { isTTY, columns, write: out },
    { write: (text: string) => (stderr += text) },
    { NO_COLOR: "1" },
  );
  const at = words.indexOf("--") < 0 ? words.length : words.indexOf("--");
  const addressed = words.toSpliced(at, 0, "--control", daemon.socket);
  const code = await main(addressed, output, unread.signal);
  return { code, stdout, stderr, requests: daemon.requests.map(({ request }) => request) };
}
