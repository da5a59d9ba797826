/** Tells the log, the events and the metrics what became of an attempt. */
import type { Sources } from "../../grammar/render.js";
import { toJson } from "../../grammar/to-json.js";
import type { Clock, Log } from "../plugin-api/context.js";
import type { DaemonServices } from "../services/contract.js";
import type { Generation } from "./contract.js";

/** The maximum number of diagnostics in a log line. */
const SHOWN = 10;

export class GenerationReporter {
  readonly #kit: DaemonServices;
  readonly #clock: Clock;
  readonly #printed: boolean;
  readonly #log: Log;
  readonly #metrics;

  /** `printed`: the caller prints why the start was refused. */
  constructor(kit: DaemonServices, log: Log, printed = false) {
    this.#printed = printed;
    this.#kit = kit;
    this.#clock = kit.clock;
    this.#log = log;
    const metrics = kit.metrics.scoped("config");
    this.#metrics = {
      successful: metrics.gauge(
        "last_reload_successful",
        "Whether the last attempt to change the configuration succeeded.",
      ),
      successAt: metrics.gauge(
        "last_reload_success_timestamp_seconds",
        "When an attempt to change the configuration last succeeded.",
      ),
      generation: metrics.gauge("generation", "Number of the generation that runs."),
      reloads: metrics.counter("reloads_total", "Attempts to change the configuration.", [
        "result",
      ]),
      blocks: metrics.gauge("blocks", "Blocks by what the last change did to them.", ["action"]),
      seconds: metrics.histogram("reload_seconds", "Time from an edit's reading to its end.", {
        labels: ["result"],
      }),
      stale: metrics.gauge(
        "stale_seconds",
        "For how long what runs has not been what is on disk; 0 while they agree.",
      ),
    };
  }

  /** `now` runs: it took over from whatever ran before. `instead` says why it is not what is on disk. */
  committed(now: Generation, instead?: string): void {
    const { number, trigger, summary, duration, git } = now;
    this.#count("applied", duration);
    this.#succeeded(number);
    for (const [action, count] of Object.entries(summary ?? {})) {
      this.#metrics.blocks.set(count, { action });
    }
    const more = { ...(git && { git }), ...(instead !== undefined && { reason: instead }) };
    const fields = { generation: number, trigger, ...summary, duration, ...more };
    if (instead === undefined) this.#log.info(`Generation ${number} runs`, fields);
    else this.#log.warn(`Generation ${number} runs, not what is on disk`, fields);
    this.#kit.events.emit("config.reloaded", fields);
  }

  /** Nothing had to change. */
  unchanged(running: Generation, duration: number): void {
    this.#count("unchanged", duration);
    this.#succeeded(running.number);
    const fields = { generation: running.number, duration };
    this.#log.debug("The configuration is what runs already", fields);
    this.#kit.events.emit("config.unchanged", fields);
  }

  rejected(refused: Generation, running: Generation | undefined, sources: Sources): void {
    const { number, trigger, duration, reason, diagnostics } = refused;
    this.#count("rejected", duration);
    this.#metrics.successful.set(0);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const shown = errors.slice(0, SHOWN).map((each) => {
      const { file, range, message } = toJson(each, sources);
      const at = range ? `${file}:${range.start.line}:${range.start.column}: ` : "";
      return `${at}${message}`;
    });
    const rest = running ? `generation ${running.number} runs on` : "nothing runs yet";
    const fields = { generation: number, trigger, reason, running: running?.number, errors: shown };
    const level = this.#printed && trigger === "boot" ? "debug" : "error";
    this.#log[level](`The configuration was refused; ${rest}`, fields);
    this.#kit.events.emit("config.rejected", { ...fields, duration });
  }

  /** Probation is over. */
  confirmed({ number }: Generation): void {
    this.#log.debug(`Generation ${number} has proved itself`, { generation: number });
    this.#kit.events.emit("config.confirmed", { generation: number });
  }

  rolledBack(failed: Generation, restored: Generation): void {
    this.#metrics.reloads.add(1, { result: "rolled_back" });
    this.#metrics.successful.set(0);
    this.#metrics.generation.set(restored.number);
    const { number, reason } = failed;
    const fields = { generation: number, restored: restored.number, reason };
    this.#log.error(`Generation ${number} was taken back; ${restored.number} runs again`, fields);
    this.#kit.events.emit("config.rolled_back", fields);
  }

  /** A generation is unhealthy and cannot be rolled back. */
  stuck({ number }: Generation, reason: string): void {
    this.#metrics.successful.set(0);
    const fields = { generation: number, reason };
    this.#log.error(`Generation ${number} is not healthy and runs on`, fields);
    this.#kit.events.emit("config.unhealthy", fields);
  }

  stale(since: number | undefined): void {
    const now = this.#clock.now();
    this.#metrics.stale.set(since === undefined ? 0 : Math.max(0, now - since) / 1000);
  }

  #count(result: "applied" | "unchanged" | "rejected", duration: number): void {
    this.#metrics.reloads.add(1, { result });
    this.#metrics.seconds.observe(duration / 1000, { result });
  }

  #succeeded(generation: number): void {
    this.#metrics.successful.set(1);
    this.#metrics.successAt.set(this.#clock.now() / 1000);
    this.#metrics.generation.set(generation);
  }
}
