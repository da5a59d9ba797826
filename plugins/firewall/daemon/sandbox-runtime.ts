/** A running sandbox: its current definition, its commands, its log and its counters. Survives edits of its block. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { PluginContext } from "reeve/plugin";
import { FirewallError } from "../errors.js";
import type { AccessRecord } from "../log/entry.js";
import { domainOf } from "../log/parse.js";
import { AccessLogWriter } from "../log/writer.js";
import type { QuestionBoard } from "../proxy/question-board.js";
import type { Questions } from "../proxy/questions.js";
import { type EarlierChanges, reportCommit } from "./earlier-changes.js";
import type { ExecRequest, ExecResult } from "./exec-request.js";
import { launchCommand } from "./launch.js";
import type { FirewallMetrics } from "./metrics.js";
import type { IdleSandbox, NamespacePool } from "./namespace-pool.js";
import { RunningCommand } from "./running-command.js";
import type { SandboxDefinition } from "./sandbox-definition.js";
import { isDenied, type Traffic } from "./traffic.js";

export interface RuntimeServices {
  readonly context: PluginContext;
  readonly metrics: FirewallMetrics;
  readonly pool: NamespacePool;
  readonly traffic: Traffic;
  readonly board: QuestionBoard;
  readonly changes: EarlierChanges;
}

/** Bytes of one sandbox's log before it rotates. */
const logLimit = 16 * 1024 * 1024;
/** Request events per second; further requests are only counted. */
const mostEvents = 200;

/** `ended` never rejects. */
export interface StartedCommand {
  readonly command: RunningCommand;
  readonly ended: Promise<ExecResult>;
}

export class SandboxRuntime {
  readonly running = new Set<RunningCommand>();
  readonly logDirectory: string;
  allowed = 0;
  denied = 0;
  bytes = 0;
  commands = 0;
  #definition: SandboxDefinition;
  readonly #services: RuntimeServices;
  readonly #uses = new Set<Promise<unknown>>();
  readonly #cut = new AbortController();
  readonly #questions = new Set<Questions>();
  #log: AccessLogWriter | undefined;
  #second = 0;
  #events = 0;

  constructor(definition: SandboxDefinition, services: RuntimeServices) {
    this.#definition = definition;
    this.#services = services;
    const { state } = services.context.directories;
    this.logDirectory = join(state, "logs", encodeURIComponent(definition.name));
  }

  get definition(): SandboxDefinition {
    return this.#definition;
  }

  get name(): string {
    return this.#definition.name;
  }

  /** Running commands follow the new rules from their next connection; the rest applies to the next command. */
  reconfigure(definition: SandboxDefinition): void {
    this.#definition = definition;
    for (const questions of this.#questions) questions.reconsider(definition.spec.policy);
  }

  /** `work` starts a command and handles its end; `idle` waits for all of it. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = work();
    this.#uses.add(working);
    try {
      return await working;
    } finally {
      this.#uses.delete(working);
    }
  }

  /** Within `use`. @throws {FirewallError} if the command cannot start, `stopping` once the sandbox was cut off */
  async start(request: ExecRequest): Promise<StartedCommand> {
    const { context, pool, metrics, board, changes } = this.#services;
    changes.report();
    const requestedAt = performance.now();
    const definition = this.#definition;
    const questions = definition.block.values.ask ? board.questionsFor(this.name) : undefined;
    const { signal } = this.#cut;
    const reasonOf = (thrown: unknown) =>
      signal.aborted ? new FirewallError("stopping", "The daemon is stopping.") : thrown;
    const idle = await pool.take(definition.plan, signal).catch((thrown) => {
      throw reasonOf(thrown);
    });
    let command: RunningCommand | undefined;
    let recorded: ReturnType<EarlierChanges["begin"]> = () => {};
    try {
      const launched = await launchCommand(
        definition,
        request,
        idle,
        {
          policy: () => this.#definition.spec.policy,
          record: (record) => this.#record(record, command),
          ...(questions && { questions }),
          committed: (commit) => reportCommit(context.log, request.label, commit),
          starting: (writable) => {
            recorded = changes.begin({ label: request.label, writable, kept: definition.readOnly });
          },
        },
        signal,
        changes.unfinished,
      );
      const timeout = smaller(request.timeout, definition.spec.timeoutMs);
      command = new RunningCommand(
        randomUUID(),
        this.name,
        { ...request, timeout },
        launched,
        context.clock.now(),
      );
    } catch (thrown) {
      recorded([]);
      await idle.release();
      throw reasonOf(thrown);
    }
    this.commands += 1;
    this.running.add(command);
    if (questions) this.#questions.add(questions);
    this.#updateGauge();
    const { id, pid, started } = command;
    void started.then((began) => {
      if (!began) return;
      const took = performance.now() - requestedAt;
      metrics.start.observe(took / 1000, { sandbox: this.name });
      context.events.emit("sandbox.started", {
        ...{ sandbox: this.name, command: id, label: request.label, pid },
        milliseconds: Math.round(took * 10) / 10,
      });
    });
    if (signal.aborted) command.kill();
    const ended = this.#finish(command, idle);
    return {
      command,
      ended: ended.finally(() => {
        recorded([]);
        if (questions) this.#questions.delete(questions);
      }),
    };
  }

  /** Resolves when no command starts or runs, and the end of each is recorded. */
  async idle(): Promise<void> {
    while (this.#uses.size > 0) await Promise.allSettled(this.#uses);
  }

  /** Kills what runs, and what is about to. */
  cutOff(): void {
    this.#cut.abort();
    for (const command of this.running) command.kill();
  }

  /** Writes buffered records to disk. */
  flush(): void {
    this.#log?.flush();
  }

  /** Creates the log files. */
  openLog(): void {
    this.#log ??= new AccessLogWriter(this.logDirectory, { limit: logLimit });
  }

  /** Removes its gauges and closes its log. No command may run. */
  dispose(): void {
    this.#services.metrics.running.remove({ sandbox: this.name });
    this.#log?.close();
    this.#log = undefined;
  }

  async #finish(
    command: RunningCommand,
    { release }: Pick<IdleSandbox, "release">,
  ): Promise<ExecResult> {
    const { context, metrics } = this.#services;
    const ended = await command.ended();
    await release();
    this.running.delete(command);
    this.#updateGauge();
    this.flush();
    metrics.commands.add(1, { sandbox: this.name, outcome: ended.outcome });
    const { outcome, exitCode, signal, error } = ended;
    context.events.emit("sandbox.finished", {
      ...{ sandbox: this.name, command: command.id, label: command.request.label, outcome },
      ...{ allowed: command.allowed, denied: command.denied },
      milliseconds: Math.round(ended.duration),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      ...(error === undefined ? {} : { error }),
    });
    return ended;
  }

  #record(record: AccessRecord, command: RunningCommand | undefined): void {
    const { metrics, traffic } = this.#services;
    const sandbox = this.name;
    const denied = isDenied(record);
    command?.count(record);
    if (denied) this.denied += 1;
    else this.allowed += 1;
    this.bytes += record.bytesSent + record.bytesReceived;
    traffic.add(sandbox, record);
    metrics.requests.add(1, { sandbox, outcome: denied ? "denied" : "allowed" });
    if (record.bytesSent > 0) metrics.bytes.add(record.bytesSent, { sandbox, direction: "sent" });
    if (record.bytesReceived > 0) {
      metrics.bytes.add(record.bytesReceived, { sandbox, direction: "received" });
    }
    this.#emitEvent(record, command, denied);
    this.#writeLog(record);
  }

  #emitEvent(record: AccessRecord, command: RunningCommand | undefined, denied: boolean): void {
    const second = Math.floor(record.timestamp);
    if (second !== this.#second) this.#events = 0;
    this.#second = second;
    this.#events += 1;
    if (this.#events > mostEvents) return;
    const { method, host, url, rule, pattern, reason, requester } = record;
    this.#services.context.events.emit(denied ? "sandbox.denied" : "sandbox.allowed", {
      ...{
        sandbox: this.name,
        command: command?.id,
        domain: domainOf(method, host, url),
        method,
        rule,
      },
      ...(pattern === undefined ? {} : { pattern }),
      ...(reason === undefined ? {} : { reason }),
      ...(requester ? { pid: requester.pid, program: requester.comm } : {}),
      ...{ bytesSent: record.bytesSent, bytesReceived: record.bytesReceived },
      milliseconds: record.durationMs,
    });
  }

  #writeLog(record: AccessRecord): void {
    try {
      this.openLog();
      this.#log?.write(record);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.#services.context.log.warn("Cannot write the log of a sandbox", {
        sandbox: this.name,
        reason,
      });
    }
  }

  #updateGauge(): void {
    this.#services.metrics.running.set(this.running.size, { sandbox: this.name });
  }
}

/** The result of a command that could not start. Rethrows anything but a `FirewallError`. */
export function notStarted(thrown: unknown): ExecResult {
  if (!(thrown instanceof FirewallError)) throw thrown;
  const [error = ""] = thrown.message.split("\n");
  return {
    outcome: thrown.code === "stopping" ? "cancelled" : "not_started",
    ...{ exitCode: undefined, signal: undefined, duration: 0 },
    error: /[.!?]$/.test(error) ? error : `${error}.`,
  };
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
