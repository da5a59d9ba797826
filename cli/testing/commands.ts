/** Whole command lines against a daemon that gives a test's answers, in this process. */
import type { ExecutionContext } from "ava";
import { main } from "../main.js";
import { createOutput } from "../output.js";
import { type Answers, daemonDouble } from "./daemon-double.js";
import type { Ended } from "./reeve.js";

export interface AskedOf extends Ended {
  /** What the daemon was asked: `GET /v1/status`. */
  readonly requests: readonly string[];
}

export interface Reading {
  /** Columns of the terminal; absent: no terminal. */
  readonly columns?: number;
  /** Stops reading when it returns true for all of the standard output until now. */
  readonly until?: (stdout: string) => boolean;
}

/** Runs `reeve` with these words and `--control`. */
export async function askedOf(
  t: ExecutionContext,
  words: readonly string[],
  answers: Answers,
  { columns, until = () => false }: Reading = {},
): Promise<AskedOf> {
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
  return { code, stdout, stderr, requests: daemon.asked.map(({ request }) => request) };
}
