/** A real terminal: tmux, with a server of its own that goes when the test ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { outputOf } from "../../../tests/support/child.js";
import { REEVE } from "../../../tests/support/commands.js";
import { eventually } from "../../../tests/support/eventually.js";

export interface Terminal {
  /** What is to be seen, without spaces at the ends of lines. */
  screen(): Promise<string>;
  /** Resolves with the screen once it fits. */
  until(wanted: RegExp, gone?: RegExp): Promise<string>;
  /** As tmux names them: `Enter`, `C-d`, `j`. */
  press(...keys: readonly string[]): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** A tmux format: `#{alternate_on}`. */
  ask(format: string): Promise<string>;
  /** Takes the terminal away. */
  close(): Promise<void>;
  /** Process id of the `reeve` that runs in it. */
  pid(): Promise<number>;
}

/** A shell that says `BEFORE`, then runs `reeve` with these words, then says `AFTER` and its exit code. */
export async function terminal(
  t: ExecutionContext,
  words: readonly string[],
  {
    width = 99,
    height = 30,
    env = {},
    foreign = false,
  }: {
    width?: number;
    height?: number;
    env?: Record<string, string>;
    /** Whether it is in a session of its own, which no signal tells that the terminal has gone. */
    foreign?: boolean;
  } = {},
): Promise<Terminal> {
  t.timeout(120_000);
  const directory = mkdtempSync(join(tmpdir(), "reeve-tmux-"));
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const words = ["-S", join(directory, "s"), "-f", "/dev/null", ...args];
    const env = { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: directory };
    return outputOf("tmux", words, { env });
  };
  t.teardown(async () => {
    await tmux("kill-server").catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  });
  const quoted = [process.execPath, REEVE, ...words].map((word) => `'${word}'`).join(" ");
  const given = Object.entries(env)
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ");
  const script = `echo BEFORE; ${given} ${foreign ? "setsid -w " : ""}${quoted}; echo AFTER $?; exec sleep 1000`;
  await tmux("new-session", "-d", "-x", String(width), "-y", String(height), "sh", "-c", script);
  const screen = () => tmux("capture-pane", "-p");
  return {
    screen,
    async until(wanted, gone) {
      let seen = "";
      const look = async () => {
        seen = await screen();
        return wanted.test(seen) && !gone?.test(seen);
      };
      await eventually(`${wanted}`, look, { every: 30 }).catch((error: Error) => {
        throw new Error(`${error.message}\nThere is:\n${seen}`);
      });
      return seen;
    },
    async press(...keys) {
      await tmux("send-keys", ...keys);
    },
    async resize(columns, rows) {
      await tmux("resize-window", "-x", String(columns), "-y", String(rows));
    },
    async close() {
      await tmux("kill-server");
    },
    ask: async (format) => (await tmux("display-message", "-p", format)).trim(),
    async pid() {
      const shell = (await tmux("display-message", "-p", "#{pane_pid}")).trim();
      const pids = await outputOf("ps", ["-o", "pid=", "--ppid", shell]);
      return Number(pids.trim().split("\n")[0]);
    },
  };
}
