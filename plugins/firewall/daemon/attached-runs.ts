/** Runs commands for a client of the control API: input, outputs and signals go over HTTP. */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { constants } from "node:os";
import { FirewallError } from "../errors.js";
import type { RunEvent, RunOrder } from "./api.js";
import type { ExecResult } from "./exec-request.js";
import { eventFrame, type FrameKind, runFrame } from "./frames.js";
import type { FirewallInstance } from "./instance.js";
import type { RunningCommand } from "./running-command.js";
import { notStarted, type SandboxRuntime, type StartedCommand } from "./sandbox-runtime.js";

const mostWords = 100_000;

export class AttachedRuns {
  readonly #instance: FirewallInstance;
  readonly #commands = new Map<string, RunningCommand>();

  constructor(instance: FirewallInstance) {
    this.#instance = instance;
  }

  /**
   * Responds with frames until the command ends; `take` returns the response. The command ends with the client's
   * connection.
   * @throws {FirewallError} `invalid_order`
   */
  run(sandbox: SandboxRuntime, order: RunOrder, takeResponse: () => ServerResponse): Promise<void> {
    return sandbox.use(() => this.#run(sandbox, order, takeResponse));
  }

  async #run(
    sandbox: SandboxRuntime,
    order: RunOrder,
    takeResponse: () => ServerResponse,
  ): Promise<void> {
    const requestedAt = performance.now();
    refuseBad(order);
    const { argv, env = {}, cwd, timeout, terminal = false } = order;
    const response = takeResponse();
    const sendEvent = (event: RunEvent) => {
      if (!response.destroyed) response.write(eventFrame(event));
    };
    response.writeHead(200, { "content-type": "application/vnd.reeve.run" });
    let isClosed = false;
    response.once("close", () => {
      isClosed = true;
    });
    const run = this.#instance.context.runs.start({
      kind: "sandbox",
      subject: sandbox.definition.block.key,
      trigger: "reeve sandbox run",
      detail: { argv: argv.slice(0, 32).map((word) => word.slice(0, 256)) },
    });
    run.catch(() => undefined);
    let started: StartedCommand;
    try {
      started = await sandbox.start({
        ...{ argv, env, cwd, timeout, terminal, shell: true, merged: false },
        label: "reeve sandbox run",
      });
    } catch (thrown) {
      const ended = notStarted(thrown);
      sendEvent({ event: "ended", ...endOf(ended), allowed: 0, denied: 0 });
      response.end();
      return this.#finish(run, ended);
    }
    const { command } = started;
    const cancel = () => command.end("cancelled");
    if (isClosed) cancel();
    response.once("close", cancel);
    this.#commands.set(command.id, command);
    sendEvent({ event: "accepted", command: command.id, pid: command.pid });
    void command.started.then((began) => {
      if (began) sendEvent({ event: "started", milliseconds: performance.now() - requestedAt });
    });
    this.#pass(command, "stdout", response);
    this.#pass(command, "stderr", response);
    const ended = await started.ended;
    response.off("close", cancel);
    this.#commands.delete(command.id);
    sendEvent({
      event: "ended",
      ...endOf(ended),
      allowed: command.allowed,
      denied: command.denied,
    });
    response.end();
    await this.#finish(run, ended);
  }

  /** Resolves when the command's input has room for more. @throws {FirewallError} `unknown_run` */
  async write(id: string, data: Buffer, end: boolean): Promise<void> {
    const { stdin } = this.#command(id);
    if (stdin.destroyed || stdin.writableEnded) return;
    const full = data.length > 0 && !stdin.write(data);
    if (end) stdin.end();
    else if (full) await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(() => {});
  }

  /** @throws {FirewallError} `unknown_run`, `invalid_order` */
  signal(id: string, name: string): void {
    const command = this.#command(id);
    if (!(name in constants.signals)) {
      throw new FirewallError("invalid_order", `There is no signal ${JSON.stringify(name)}.`);
    }
    command.signal(name as NodeJS.Signals);
  }

  #command(id: string): RunningCommand {
    const found = this.#commands.get(id);
    if (found) return found;
    throw new FirewallError("unknown_run", "There is no such command. It may have ended.");
  }

  #pass(
    command: RunningCommand,
    kind: Exclude<FrameKind, "event">,
    response: ServerResponse,
  ): void {
    const source = command[kind];
    source.on("data", (data: Buffer) => {
      if (kind === "stderr") command.keepStartOutput(data);
      if (response.destroyed || response.write(runFrame(kind, data))) return;
      source.pause();
      const on = () => {
        response.off("drain", on).off("close", on);
        source.resume();
      };
      response.on("drain", on).on("close", on);
    });
  }

  async #finish(
    run: ReturnType<FirewallInstance["context"]["runs"]["start"]>,
    { outcome, exitCode, signal, error }: ExecResult,
  ): Promise<void> {
    const failed = error ?? (signal ? `The command was killed by ${signal}.` : undefined);
    const state =
      outcome === "exited" ? (exitCode === 0 ? "succeeded" : "failed") : outcomeStates[outcome];
    const reason =
      failed ?? (state === "failed" ? `The command exited with status ${exitCode}.` : undefined);
    try {
      await (await run).finish({
        state,
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
        ...(reason === undefined ? {} : { reason }),
      });
    } catch (thrown) {
      this.#instance.context.log.warn("Cannot record the end of a sandboxed command", {
        reason: thrown instanceof Error ? thrown.message : String(thrown),
      });
    }
  }
}

const outcomeStates = {
  killed: "failed",
  not_started: "failed",
  timed_out: "timed_out",
  cancelled: "cancelled",
} as const;

const endOf = ({ outcome, exitCode, signal, error }: ExecResult) => ({
  outcome,
  exitCode,
  signal,
  error,
});

function refuseBad({ argv, env = {}, cwd, timeout }: RunOrder): void {
  const isStrings = (all: unknown): all is readonly string[] =>
    Array.isArray(all) && all.every((each) => typeof each === "string" && !each.includes("\0"));
  const wrong =
    !isStrings(argv) || argv.length === 0 || argv.length > mostWords
      ? "`argv` must be a list of at least one string"
      : !isStrings(Object.values(env)) || Object.keys(env).some((name) => !/^[^=\0]+$/.test(name))
        ? "`env` must have a string for each name"
        : cwd !== undefined && typeof cwd !== "string"
          ? "`cwd` must be a path"
          : timeout !== undefined && !(timeout > 0)
            ? "`timeout` must be a positive number of milliseconds"
            : undefined;
  if (wrong !== undefined) throw new FirewallError("invalid_order", `Invalid command: ${wrong}.`);
}
