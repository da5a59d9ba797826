import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";
import { type Answer, ask } from "../../http/testing/client.js";
import { temporaryDirectory } from "../../http/testing/temporary.js";

const program = fileURLToPath(new URL("./run.js", import.meta.url));

/** A folder with a configuration and everything a daemon makes. */
export interface Site {
  readonly directory: string;
  readonly root: string;
  readonly control: string;
  write(text: string): Promise<void>;
}

export async function site(t: ExecutionContext, text: string): Promise<Site> {
  const directory = await temporaryDirectory(t);
  const root = join(directory, "main.reeve");
  await writeFile(root, text);
  const control = join(directory, "control.sock");
  return { directory, root, control, write: (next) => writeFile(root, next) };
}

export interface RunningDaemon {
  readonly child: ChildProcess;
  /** What it said when it was ready, or why it is not. */
  readonly said: Record<string, unknown>;
  /** Lines of the log. */
  readonly log: readonly string[];
  get(path: string): Promise<Answer>;
  post(path: string): Promise<Answer>;
  /** The exit code, or the signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** Starts a daemon of its own process; it is gone after the test. */
export async function run(
  t: ExecutionContext,
  { root, directory, control }: Site,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningDaemon> {
  const child = spawn(process.execPath, [program, root, join(directory, "state"), control], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  t.teardown(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await Promise.race([lines.next(), exited]);
  if (typeof first !== "object" || first.done) throw new Error(`it ended: ${log.join("\n")}`);
  return {
    child,
    log,
    exited,
    said: JSON.parse(first.value),
    get: (path) => ask(`unix:${control}`, path),
    post: (path) => ask(`unix:${control}`, path, { method: "POST" }),
  };
}
