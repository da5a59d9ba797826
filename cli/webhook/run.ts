/** Runs hooks' commands: so many at a time, so many waiting, none of them left when the server has stopped. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Mask } from "../../daemon/services/mask.js";
import { FastestSpawner } from "../../daemon/services/processes/fastest-spawner.js";
import { OwnedProcesses } from "../../daemon/services/processes/processes.js";
import { looksSecret } from "../../daemon/services/redact.js";
import type { CommandResult } from "../../plugins/hooks/compat/answer.js";
import type { FileCommand } from "../../plugins/hooks/compat/command.js";
import type { FileHook } from "../../plugins/hooks/compat/hook.js";
import { passFiles } from "../../plugins/hooks/compat/pass-files.js";
import { programOf } from "../../plugins/hooks/compat/place.js";
import { ConcurrencyQueue } from "../../plugins/hooks/runs/concurrency-queue.js";
import type { RequestLog } from "./log.js";

/** Commands at a time, and requests waiting for their turn. */
const LIMITS = { concurrency: 64, queue: 10_000, overflow: "refuse" } as const;
/** Bytes of a command's output that are kept; the middle of more is left out. */
const OUTPUT = 64 * 1024 * 1024;
/** Milliseconds between TERM and KILL. */
const GRACE = 5000;

export class Runner {
  readonly #queue = new ConcurrencyQueue(LIMITS);
  readonly #ending = new AbortController();
  readonly #starter: FastestSpawner;
  readonly #processes: OwnedProcesses;
  readonly #temporary = mkdtempSync(join(tmpdir(), "webhook-"));
  readonly #open = new Set<Promise<unknown>>();

  constructor() {
    this.#starter = new FastestSpawner(this.#temporary);
    this.#processes = new OwnedProcesses({
      // Empty: commands have always got the whole environment.
      mask: new Mask(),
      spawner: this.#starter,
      cwd: process.cwd(),
      signal: this.#ending.signal,
    });
  }

  /** Whether there is no place left, not even to wait. */
  get isFull(): boolean {
    return this.#queue.waiting >= LIMITS.queue;
  }

  /** The end of the command; `undefined` where too many wait already. */
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

  /** Lets what runs finish until `patience` is aborted, then ends it. */
  async stop(patience: AbortSignal): Promise<void> {
    const cutOff = (): void => {
      this.#queue.clear();
      this.#ending.abort();
    };
    if (patience.aborted) cutOff();
    patience.addEventListener("abort", cutOff, { once: true });
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
    patience.removeEventListener("abort", cutOff);
    await this.#processes.idle();
    await this.#starter.close();
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  async #run(
    hook: FileHook,
    { argv, env, files }: FileCommand,
    log: RequestLog,
  ): Promise<CommandResult> {
    const passed = await passFiles(files, hook.directory, log.say);
    try {
      const [written = "", ...args] = argv;
      const program = programOf(hook);
      const variables = { ...env, ...passed.env };
      log.say(
        `executing ${written} (${program}) with arguments ${quotedList(argv)} and environment ${shownEnvironment(variables)} using ${hook.directory} as cwd`,
      );
      const result = await this.#processes.run({
        argv: [program, ...args],
        env: variables,
        outputLimit: OUTPUT,
        grace: GRACE,
        ...(hook.directory === "" ? {} : { cwd: hook.directory }),
      });
      const { outcome, exitCode, signal, error, stdout } = result;
      if (outcome === "not_started") notStarted(written, error ?? "it cannot be started", log);
      else if (log.verbose) log.say(`command output: ${Buffer.from(stdout).toString("utf8")}`);
      const succeeded = outcome === "exited" && exitCode === 0;
      if (!succeeded && outcome !== "not_started") {
        log.say(
          `error occurred: ${signal === undefined ? `exit status ${exitCode}` : `signal: ${signal}`}`,
        );
      }
      return { succeeded, output: stdout };
    } finally {
      await passed.remove();
      log.say(`finished handling ${hook.id}`);
    }
  }
}

function stopped(log: RequestLog): CommandResult {
  log.say("not executed: the server stops");
  return { succeeded: false, output: new Uint8Array() };
}

/** Nobody may be waiting, so the operator is told even if the log is quiet. */
function notStarted(command: string, why: string, log: RequestLog): void {
  log.complain(`error in exec: "${command}": ${why}`);
  const [program = ""] = command.split(" ", 1);
  if (program === command) return;
  log.complain(`use 'pass-arguments-to-command' to specify args for '${program}'`);
}

const quotedList = (words: readonly string[]): string =>
  `[${words.map((word) => JSON.stringify(word)).join(" ")}]`;

const shownEnvironment = (env: Readonly<Record<string, string>>): string =>
  `[${Object.entries(env)
    .map(([name, value]) => `${name}=${looksSecret(name) ? "(secret)" : value}`)
    .join(" ")}]`;
