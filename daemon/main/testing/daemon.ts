import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";
import { child as start } from "../../../tests/support/child.js";
import { within } from "../../../tests/support/eventually.js";
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

export interface LaunchedDaemon {
  readonly child: ChildProcess;
  /** What it says when it is ready, or why it is not; `undefined` when it ends before. */
  readonly first: Promise<Record<string, unknown> | undefined>;
  /** Lines of the log. */
  readonly log: readonly string[];
  get(path: string): Promise<Answer>;
  post(path: string): Promise<Answer>;
  /** The exit code, or the signal. */
  readonly exited: Promise<number | NodeJS.Signals | undefined>;
}

export interface RunningDaemon extends LaunchedDaemon {
  readonly said: Record<string, unknown>;
}

/** Starts a daemon of its own process; it is gone after the test. */
export function launch(
  t: ExecutionContext,
  { root, directory, control }: Site,
  environment: Readonly<Record<string, string>> = {},
): LaunchedDaemon {
  const words = [program, root, join(directory, "state"), control];
  const started = start(t, process.execPath, words, { env: { ...process.env, ...environment } });
  const { process: child } = started;
  const log: string[] = [];
  createInterface({ input: child.stderr as Readable }).on("line", (line) => log.push(line));
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  return {
    child,
    log,
    exited: started.ended,
    first: lines.next().then(({ value, done }) => (done ? undefined : JSON.parse(value))),
    get: (path) => ask(`unix:${control}`, path),
    post: (path) => ask(`unix:${control}`, path, { method: "POST" }),
  };
}

/** Starts a daemon and waits until it says how that went. */
export async function run(...start: Parameters<typeof launch>): Promise<RunningDaemon> {
  const daemon = launch(...start);
  const said = await within("what the daemon says first", daemon.first);
  if (said === undefined) throw new Error(`it ended: ${daemon.log.join("\n")}`);
  return { ...daemon, said };
}
