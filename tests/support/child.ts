/**
 * The one way in which tests start processes. A child leads a process group of its own, which is killed when the test ends,
 * however that ends, and when the process of the test ends.
 */
import {
  type ChildProcess,
  type SpawnOptions,
  type StdioOptions,
  spawn,
  spawnSync,
} from "node:child_process";
import { eventually, type Patience, within } from "./eventually.js";

/** A test, or what ends after all tests of a file: `endings`. */
export interface Ending {
  teardown(end: () => unknown): void;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** All of its environment but where it keeps compiled code and temporary files. @default that of the test */
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads. @default nothing */
  readonly input?: string | Uint8Array;
  /** Of what it writes: with `latin1` each character is a byte. @default "utf8" */
  readonly encoding?: BufferEncoding;
}

export interface ChildOptions extends Omit<CommandOptions, "input"> {
  /** @default input ignored, output and errors kept */
  readonly stdio?: StdioOptions;
}

export interface Result {
  /** `null` if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Groups that live, by their leader. */
const groups = new Set<number>();
process.on("exit", () => {
  for (const leader of groups) killGroup(leader);
});

let hearsSignals = false;

/** Programs that are no tests: what a user sends from the terminal reaches no child, which leads a group of its own. */
export function endWithSignals(): void {
  if (hearsSignals) return;
  hearsSignals = true;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      for (const leader of groups) killGroup(leader);
      process.kill(process.pid, signal);
    });
}

function killGroup(leader: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // It is gone.
  }
}

function hasMembers(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

export class Child {
  readonly process: ChildProcess;
  /** The exit code, or the signal that ended it; `undefined` if it could not start. */
  readonly ended: Promise<number | NodeJS.Signals | undefined>;
  /** What it has written until now. */
  stdout = "";
  stderr = "";
  #state: { readonly end: number | NodeJS.Signals | undefined } | undefined;

  constructor(child: ChildProcess, encoding: BufferEncoding = "utf8") {
    this.process = child;
    const { pid } = child;
    if (pid !== undefined) groups.add(pid);
    child.once("exit", () => {
      // The kernel gives the number of an empty group to others.
      if (pid !== undefined && !hasMembers(pid)) groups.delete(pid);
    });
    child.stdout?.setEncoding(encoding).on("data", (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding(encoding).on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      const end = (how: number | NodeJS.Signals | undefined) => {
        this.#state = { end: how };
        resolve(how);
      };
      child.once("error", (error) => {
        this.stderr += error.message;
        if (pid === undefined) end(undefined);
      });
      child.once("close", (code, signal) => end(code ?? signal ?? undefined));
    });
  }

  /** @throws Error if it could not start */
  get pid(): number {
    const { pid } = this.process;
    if (pid === undefined) throw new Error(`it could not start: ${this.stderr}`);
    return pid;
  }

  get isAlive(): boolean {
    return this.#state === undefined;
  }

  kill(signal: NodeJS.Signals = "SIGTERM"): void {
    this.process.kill(signal);
  }

  /** The first match in what it writes. @throws Error with its output if it ends before, or writes nothing that fits */
  async says(pattern: RegExp, patience: Patience = {}): Promise<RegExpExecArray> {
    const found = () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
    const match = await eventually(
      `${pattern} in its output:\n${this.stdout}${this.stderr}`,
      () => found() ?? (this.isAlive ? undefined : "ended"),
      patience,
    );
    // It may have written more before its end than the look before had seen.
    const last = match === "ended" ? found() : match;
    if (last) return last;
    throw new Error(
      `it ended with ${this.#state?.end} before ${pattern}:\n${this.stdout}${this.stderr}`,
    );
  }

  /** Kills its whole group and waits for its end. */
  async end(): Promise<void> {
    const { pid } = this.process;
    if (pid !== undefined && groups.has(pid)) killGroup(pid);
    // Whatever left the group may hold the pipes.
    this.process.stdout?.destroy();
    this.process.stderr?.destroy();
    this.process.stdin?.destroy();
    if (pid !== undefined) await within(`the end of ${this.process.spawnfile}`, this.ended);
    if (pid !== undefined) groups.delete(pid);
  }
}

/** Compiled code and temporary files end with the run; programs of root would fill the machine's own directories. */
const ofRun = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  ...env,
});

/** Starts a program, which ends with the test at the latest. */
export function child(
  t: Ending,
  program: string,
  words: readonly string[] = [],
  { cwd, env, encoding, stdio = ["ignore", "pipe", "pipe"] }: ChildOptions = {},
): Child {
  const options: SpawnOptions = {
    detached: true,
    stdio,
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env: ofRun(env) }),
  };
  const started = new Child(spawn(program, words, options), encoding);
  t.teardown(() => started.end());
  return started;
}

/** Milliseconds. */
const LIMIT = 100_000;

/** Runs a program to its end. @throws Error if it cannot start or does not end in time */
export async function run(
  program: string,
  words: readonly string[] = [],
  { input, ...options }: CommandOptions = {},
): Promise<Result> {
  const ends: Array<() => unknown> = [];
  const t: Ending = { teardown: (end) => ends.push(end) };
  const started = child(t, program, words, { ...options, stdio: "pipe" });
  try {
    // A command that does not read its input may have ended before it is written.
    started.process.stdin?.on("error", () => undefined).end(input ?? "");
    const end = await within(`the end of ${program} ${words.join(" ")}`, started.ended, LIMIT);
    const { stdout, stderr } = started;
    if (end === undefined) throw new Error(stderr);
    return typeof end === "number"
      ? { code: end, signal: null, stdout, stderr }
      : { code: null, signal: end, stdout, stderr };
  } finally {
    for (const end of ends) await end();
  }
}

/** Runs a program to its end; nothing else happens meanwhile. @throws Error if it cannot start or does not end in time */
export function runSync(
  program: string,
  words: readonly string[] = [],
  { env, ...options }: CommandOptions = {},
): Result {
  const { error, status, signal, stdout, stderr } = spawnSync(program, words, {
    encoding: "utf8",
    ...options,
    ...(env !== undefined && { env: ofRun(env) }),
    timeout: LIMIT,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  return { code: status, signal, stdout, stderr };
}

/** What a program writes. @throws Error with all of its output if it fails; its cause is the `Result` */
export async function outputOf(
  program: string,
  words: readonly string[] = [],
  options: CommandOptions = {},
): Promise<string> {
  return succeeded(await run(program, words, options), program, words);
}

/** What a program writes; nothing else happens meanwhile. @throws as `outputOf` */
export function output(
  program: string,
  words: readonly string[] = [],
  options: CommandOptions = {},
): string {
  return succeeded(runSync(program, words, options), program, words);
}

function succeeded(result: Result, program: string, words: readonly string[]): string {
  const { code, signal, stdout, stderr } = result;
  if (code === 0) return stdout;
  const how = `${program} ${words.join(" ")}: ${code ?? signal}`;
  throw new Error(`${how}\n${stdout}${stderr}`, { cause: result });
}
