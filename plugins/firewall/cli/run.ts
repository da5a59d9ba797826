/** `reeve sandbox run`: a command in one of the daemon's sandboxes. */

import { resolve } from "node:path";
import {
  controlOptions,
  defineCommand,
  Exit,
  type ExitCode,
  Failure,
  flag,
  text,
  texts,
} from "reeve/cli";
import type { RunOrder } from "../offline.js";
import { attachRun, exitCodeOf } from "./attach.js";
import { nameArgument, sandboxPath, withKnownSandbox } from "./requests.js";

/** What programs want to know of a terminal. */
const passed = ["TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE"];

export const command = defineCommand({
  description:
    "The daemon runs the command, as its own user or the one that the block names, behind the block's lists; input, outputs and " +
    "signals go through, and it ends with the command's exit code, or 124 where its time was over. The command starts, and may write, in the directory you are in. " +
    "One word is a shell command line; several are a program and its arguments. Access to the control socket allows " +
    "running commands as that user, so restrict it. With --json: one object on standard error at the end.",
  arguments: [
    nameArgument,
    { name: "COMMAND", summary: "what to run, after `--`", required: true, variadic: true },
  ],
  options: {
    env: texts("KEY=VALUE", "an environment variable for the command; may be given again", {
      short: "e",
    }),
    cwd: text("DIR", "where the command starts (default: here)"),
    tty: flag("give the command a terminal"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve sandbox run build -- npm ci", does: 'runs it behind `sandbox "build"`' },
    { command: "reeve sandbox run build -- 'make && make test'", does: "runs a line of a shell" },
  ],
  exits: { [Exit.unavailable]: "the daemon is not running, or the command cannot be started" },
  async run({ arguments: [name = "", ...argv], options, output, control }) {
    const order: RunOrder = {
      argv,
      env: environment(options.env),
      cwd: resolve(options.cwd ?? "."),
      ...(options.tty && { terminal: true }),
    };
    const answer = await withKnownSandbox(
      control,
      name,
      control.open("POST", sandboxPath(name, "runs"), { body: order }),
    );
    const { stdin, stdout, stderr } = process;
    const raw = options.tty && stdin.isTTY;
    if (raw) stdin.setRawMode(true);
    try {
      const ended = await attachRun(answer, { control, stdin, stdout, stderr, signals: process });
      if (options.json) output.err.line(JSON.stringify(ended));
      if (ended.outcome === "not_started") {
        throw new Failure(Exit.unavailable, withoutStop(ended.error ?? "it could not be started"));
      }
      return exitCodeOf(ended) as ExitCode;
    } finally {
      if (raw) stdin.setRawMode(false);
    }
  },
});

function environment(given: readonly string[]): Record<string, string> {
  const own = passed.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const more = given.map((assignment) => {
    const at = assignment.indexOf("=");
    if (at > 0) return [assignment.slice(0, at), assignment.slice(at + 1)] as const;
    throw new Failure(Exit.usage, `--env wants KEY=VALUE, and this is \`${assignment}\``);
  });
  return Object.fromEntries([...own, ...more]);
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, "");
