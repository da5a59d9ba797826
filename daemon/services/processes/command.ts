/** One command from its start until nothing of it is left. */
import { performance } from "node:perf_hooks";
import type { Writable } from "node:stream";
import { errorMessage } from "../../errors.js";
import type { ProcessRequest, ProcessResult } from "../../plugin-api/processes.js";
import type { ByteMask, Mask } from "../mask.js";
import { type Inheritance, revealed } from "./environment.js";
import { terminateGroup } from "./group.js";
import { Outputs } from "./outputs.js";
import type { ProcessRegistry } from "./process-registry.js";
import { spawnErrorReason } from "./spawn-error.js";
import type { ProcessOutput, SpawnedProcess, Spawner } from "./spawner.js";

const defaultGrace = 5000;
const defaultLimit = 64 * 1024;
/** The longest delay a timer can take. */
const longest = 2 ** 31 - 1;

export interface CommandSettings {
  readonly mask: Mask;
  readonly spawner: Spawner;
  /** Where commands run that do not say. */
  readonly cwd: string;
  /** Where it is noted which commands run. */
  readonly registry?: ProcessRegistry | undefined;
  /** The daemon's own environment. */
  readonly inheritance: Inheritance;
}

export class SpawnedCommand {
  readonly #request: ProcessRequest;
  readonly #settings: CommandSettings;
  readonly #cwd: string;
  readonly #outputs: Outputs;
  readonly #masks = new Map<ProcessOutput["name"], ByteMask>();
  readonly #grace: number;
  readonly #startedAt = performance.now();
  /** While it runs. */
  #pid: number | undefined;
  #cancelled = false;
  /** Why it was asked to end, and the end of its group. */
  #ending:
    | { readonly outcome: "timed_out" | "cancelled"; readonly cleared: Promise<void> }
    | undefined;
  #fault: { readonly thrown: unknown } | undefined;

  constructor(request: ProcessRequest, settings: CommandSettings) {
    this.#request = request;
    this.#settings = settings;
    this.#cwd = request.cwd ?? settings.cwd;
    this.#outputs = new Outputs(request.outputLimit ?? defaultLimit);
    this.#grace = request.grace ?? defaultGrace;
  }

  /** Rejects only with what `onOutput` has thrown; everything else is an outcome. */
  async run(): Promise<ProcessResult> {
    if (this.#cancelled || this.#request.signal?.aborted) return this.#result("cancelled");
    let started: SpawnedProcess;
    try {
      started = await this.#start();
    } catch (thrown) {
      return this.#result("not_started", { error: this.#why(thrown) });
    }
    const slot = this.#note(started.pid);
    const result = await this.#follow(started);
    if (slot !== undefined) this.#settings.registry?.end(slot);
    if (this.#fault) throw this.#fault.thrown;
    return result;
  }

  /** It ends as soon as it can be reached, or does not start. */
  readonly cancel = (): void => {
    this.#cancelled = true;
    this.#end("cancelled");
  };

  #note(pid: number): number | undefined {
    const run = this.#request.env?.REEVE_RUN;
    const marker = typeof run === "string" ? `REEVE_RUN=${run}` : "";
    return this.#settings.registry?.begin(pid, this.#startedAt, marker);
  }

  #start(): Promise<SpawnedProcess> {
    const { argv, env, stdin, output = "merged" } = this.#request;
    const [program, ...args] = argv;
    if (program === undefined || program === "") throw new Error("it has no program");
    return this.#settings.spawner.start({
      ...{ program, args, output, cwd: this.#cwd, stdin: stdin !== undefined },
      env: this.#settings.inheritance.with(env, this.#request),
    });
  }

  async #follow({ pid, stdin, outputs, ending, isGone }: SpawnedProcess): Promise<ProcessResult> {
    const { timeout, signal: cancelled } = this.#request;
    this.#pid = pid;
    for (const output of outputs) this.#listen(output);
    this.#feed(stdin);
    cancelled?.addEventListener("abort", this.cancel, { once: true });
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => this.#end("timed_out"), Math.min(timeout, longest));
    if (this.#cancelled || cancelled?.aborted) this.#end("cancelled");

    const { exitCode, signal } = await ending;
    clearTimeout(timer);
    cancelled?.removeEventListener("abort", this.cancel);
    this.#pid = undefined;
    if (this.#ending) await this.#ending.cleared;
    else if (!isGone()) await terminateGroup(pid, this.#grace);
    const open = outputs.map((output) => output.end()).filter((end) => end !== undefined);
    if (open.length > 0) await Promise.all(open);
    for (const [name, mask] of this.#masks) this.#take(name, mask.end());
    const outcome = this.#ending?.outcome ?? (signal === undefined ? "exited" : "killed");
    return this.#result(outcome, { exitCode, signal });
  }

  #listen(output: ProcessOutput): void {
    const { name } = output;
    const mask = this.#request.maskOutput ? this.#settings.mask.bytes() : undefined;
    if (mask) this.#masks.set(name, mask);
    output.listen((data) => this.#take(name, mask ? mask.push(data) : data));
  }

  #take(name: ProcessOutput["name"], data: Uint8Array): void {
    const { onOutput } = this.#request;
    if (data.length === 0) return;
    this.#outputs.push(name, data);
    if (!onOutput || this.#fault) return;
    try {
      onOutput(name, data);
    } catch (thrown) {
      this.#fault = { thrown };
      this.#end("cancelled");
    }
  }

  #feed(input: Writable | undefined): void {
    const { stdin } = this.#request;
    if (stdin === undefined || !input) return;
    // A command need not read what it is given.
    input.on("error", () => undefined);
    const plain = typeof stdin === "string" || stdin instanceof Uint8Array;
    input.end(plain ? stdin : revealed(stdin, this.#settings.mask));
  }

  /** TERM now, KILL after the grace: the first reason counts. */
  #end(outcome: "timed_out" | "cancelled"): void {
    if (this.#ending || this.#pid === undefined) return;
    this.#ending = { outcome, cleared: terminateGroup(this.#pid, this.#grace) };
  }

  #why(thrown: unknown): string {
    const { argv, env } = this.#request;
    const [program] = argv;
    if (program === undefined || program === "") return "The command has no program to start.";
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ERR_INVALID_ARG_VALUE") {
      return `The program ${program} cannot be started: an argument or its environment contains a zero byte.`;
    }
    if (code === undefined || code.startsWith("ERR_")) {
      return `The program ${program} cannot be started: ${errorMessage(thrown)}`;
    }
    const path = this.#settings.inheritance.with(env, this.#request).get("PATH");
    return spawnErrorReason(thrown, program, this.#cwd, path);
  }

  #result(
    outcome: ProcessResult["outcome"],
    end: Partial<Pick<ProcessResult, "exitCode" | "signal" | "error">> = {},
  ): ProcessResult {
    return {
      outcome,
      exitCode: end.exitCode,
      signal: end.signal,
      error: end.error,
      ...this.#outputs.kept(),
      duration: performance.now() - this.#startedAt,
    };
  }
}
