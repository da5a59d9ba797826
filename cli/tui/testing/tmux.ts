/** A real terminal: tmux, with a server of its own that goes when the test ends. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ExecutionContext } from "ava";

const run = promisify(execFile);
const BIN = fileURLToPath(new URL("../../reeve.js", import.meta.url));

/** Milliseconds until what is waited for counts as not happening. */
const PATIENCE = 50_000;

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
    const { stdout } = await run("tmux", ["-S", join(directory, "s"), "-f", "/dev/null", ...args], {
      env: { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: directory },
    });
    return stdout;
  };
  t.teardown(async () => {
    await tmux("kill-server").catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  });
  const quoted = [process.execPath, BIN, ...words].map((word) => `'${word}'`).join(" ");
  const given = Object.entries(env)
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ");
  const script = `echo BEFORE; ${given} ${foreign ? "setsid -w " : ""}${quoted}; echo AFTER $?; exec sleep 1000`;
  await tmux("new-session", "-d", "-x", String(width), "-y", String(height), "sh", "-c", script);
  const screen = () => tmux("capture-pane", "-p");
  return {
    screen,
    async until(wanted, gone) {
      const end = performance.now() + PATIENCE;
      for (;;) {
        const seen = await screen();
        if (wanted.test(seen) && !gone?.test(seen)) return seen;
        if (performance.now() > end) throw new Error(`${wanted} does not come; there is:\n${seen}`);
        await delay(30);
      }
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
      const { stdout } = await run("ps", ["-o", "pid=", "--ppid", shell]);
      return Number(stdout.trim().split("\n")[0]);
    },
  };
}
