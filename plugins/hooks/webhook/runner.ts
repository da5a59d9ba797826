/** Runs the commands of hooks: a few at a time, more waiting, none left when the server has stopped. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandResult } from "../compat/answer.js";
import type { FileCommand } from "../compat/command.js";
import { goQuoted } from "../compat/go-text.js";
import type { FileHook } from "../compat/hook.js";
import { passFiles } from "../compat/pass-files.js";
import { programOf } from "../compat/program-path.js";
import { ConcurrencyQueue } from "../runs/concurrency-queue.js";
import type { ClosableProcesses, WebhookHost } from "./host.js";
import type { RequestLog } from "./log.js";
import { findProgram, signalText } from "./program.js";

/** Commands at a time, and requests waiting for their turn. */
const LIMITS = { concurrency: 64, queue: 10_000, overflow: "refuse" } as const;
/** Bytes of a command's output that are kept; the middle of a longer one is left out. */
const OUTPUT = 64 * 1024 * 1024;
/** Milliseconds between TERM and KILL. */
const GRACE = 5000;

export class CommandRunner {
  readonly #queue = new ConcurrencyQueue(LIMITS);
  readonly #ending = new AbortController();
  readonly #host: WebhookHost;
  #opened: { readonly processes: ClosableProcesses; readonly temporary: string } | undefined;
  readonly #open = new Set<Promise<unknown>>();

  constructor(host: WebhookHost) {
    this.#host = host;
  }

  /** Opened with the first command: by then the process has the user of `-setuid`, which can remove what it makes. */
  get #processes(): ClosableProcesses {
    if (this.#opened === undefined) {
      const temporary = mkdtempSync(join(tmpdir(), "webhook-"));
      const processes = this.#host.openProcesses(temporary, this.#ending.signal);
      this.#opened = { processes, temporary };
    }
    return this.#opened.processes;
  }

  /** Whether not even a waiting slot is free. */
  get isFull(): boolean {
    return this.#queue.waiting >= LIMITS.queue;
  }

  /** The result of the command; `undefined` where too many wait already. */
  start(hook: FileHook, command: FileCommand, log: RequestLog): Promise<CommandResult> | undefined {
    const slot = this.#queue.acquire();
    if (!slot) return undefined;
    const running = (async () => {
      try {
        return (await slot.turn) === "go" ? await this.#run(hook, command, log) : stopped(log);
      } finally {
        slot.leave();
      }
    })();
    this.#open.add(running);
    void running.finally(() => this.#open.delete(running)).catch(() => undefined);
    return running;
  }

  /** Waits for running commands until `patience` aborts, then kills them. */
  async stop(patience: AbortSignal): Promise<void> {
    const cutOff = (): void => {
      this.#queue.clear();
      this.#ending.abort();
    };
    if (patience.aborted) cutOff();
    patience.addEventListener("abort", cutOff, { once: true });
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
    patience.removeEventListener("abort", cutOff);
    if (this.#opened === undefined) return;
    await this.#opened.processes.close();
    rmSync(this.#opened.temporary, { recursive: true, force: true });
  }

  async #run(hook: FileHook, command: FileCommand, log: RequestLog): Promise<CommandResult> {
    const program = findProgram(programOf(hook));
    if ("problem" in program) return notFound(hook.command, program.problem, log);
    const { argv, env, files, notes } = command;
    for (const note of notes) log.say(...note);
    const passed = await passFiles(files, hook.directory, log.say);
    try {
      const variables = { ...env, ...passed.env };
      log.say(
        `executing ${hook.command} (${program.path}) with arguments ${quotedList(argv)} and environment ${this.#shown(variables)} using ${hook.directory} as cwd`,
      );
      const result = await this.#processes.run({
        argv: [program.path, ...argv.slice(1)],
        env: variables,
        // As with the existing server.
        envFrom: ["*"],
        outputLimit: OUTPUT,
        grace: GRACE,
        ...(hook.directory === "" ? {} : { cwd: hook.directory }),
      });
      const { outcome, exitCode, signal, error, stdout } = result;
      if (log.verbose) log.say(`command output: ${Buffer.from(stdout).toString("utf8")}`);
      const succeeded = outcome === "exited" && exitCode === 0;
      // Logged even without `-verbose`: no sender may be waiting.
      if (outcome === "not_started") log.complain(`error occurred: ${error}`);
      else if (!succeeded) {
        const how =
          signal === undefined ? `exit status ${exitCode}` : `signal: ${signalText(signal)}`;
        log.say(`error occurred: ${how}`);
      }
      return { succeeded, output: stdout };
    } finally {
      await passed.remove();
      log.say(`finished handling ${hook.id}`);
    }
  }

  #shown(env: Readonly<Record<string, string>>): string {
    const variables = Object.entries(env).map(
      ([name, value]) => `${name}=${this.#host.looksSecret(name) ? "(secret)" : value}`,
    );
    return `[${variables.join(" ")}]`;
  }
}

function stopped(log: RequestLog): CommandResult {
  log.say("not executed: the server stops");
  return { succeeded: false, output: new Uint8Array() };
}

/** Logged even without `-verbose`: no sender may be waiting. */
function notFound(command: string, why: string, log: RequestLog): CommandResult {
  log.complain(`error in ${why}`);
  const [program = ""] = command.trim().split(/\s+/, 1);
  if (command.includes(" ")) {
    log.complain(`use 'pass-arguments-to-command' to specify args for '${program}'`);
  }
  return { succeeded: false, output: new Uint8Array() };
}

const quotedList = (words: readonly string[]): string => `[${words.map(goQuoted).join(" ")}]`;
